/**
 * @typedef {object} Step
 * @property {string} name
 * @property {() => boolean} run true when it passed; what went wrong is printed by then
 */

/**
 * Runs every step, also after one failed: who mends a change wants to see all of it at once.
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
