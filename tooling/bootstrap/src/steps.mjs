/**
 * @typedef {object} Step
 * @property {string} name
 * @property {() => boolean} run true if it passed. It prints its own errors.
 */

/**
 * Runs every step, even after one failed, because the author of a change needs to see all failures
 * at once.
 *
 * @param {readonly Step[]} steps
 * @returns {readonly string[]} the names of the failed steps
 */
export function runSteps(steps) {
  return steps
    .filter(({ name, run }) => {
      const began = performance.now();
      console.log(`\n> ${name}`);
      const passed = run();
      console.log(`${passed ? 'ok' : 'FAILED'}: ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
      return !passed;
    })
    .map(({ name }) => name);
}
