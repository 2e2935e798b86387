import { experts } from './experts.ts';

/** As many CTAs as the GPU of the page holds: none is left for the receiver. */
export default experts(4);
