import { experts } from './experts.ts';

/** One place of the GPU stays free for the receiver. */
export default experts(3);
