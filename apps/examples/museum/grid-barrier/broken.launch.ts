import { experts } from './experts.ts';

/** As many CTAs as the simulated GPU can run at once, which leaves no room for the receiver. */
export default experts(4);
