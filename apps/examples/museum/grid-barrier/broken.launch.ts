import { experts } from './experts.ts';

/** As many CTAs as the GPU of the page holds, which leaves no room for the receiver. */
export default experts(4);
