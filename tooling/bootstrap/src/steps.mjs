/**
 * @typedef {object} Step
 * @property {string} name
 * @property {() => boolean} run true if it passed; it has printed its errors before
 */

/**
 * Runs every step, also after one failed: the author of a change needs to see all failures at once.
 *
 * @param {readonly Step[]} steps
 * @returns {readonly string[]} the names of those that failed
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
