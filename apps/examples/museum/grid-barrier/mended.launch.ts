import { experts } from './experts.ts';

/** One CTA less than the GPU can run at once, which leaves room for the receiver. */
export default experts(3);
