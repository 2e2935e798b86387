/** For suites in `tooling`, which test parts of the simulator that are no options of `sim`. */
export { simWith, type Looks } from '../../src/sim-backend.ts';
export { resolveSimOptions } from '../../src/sim-options.ts';
