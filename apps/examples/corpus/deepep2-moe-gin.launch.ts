import { mixtureOfExperts } from './deepep2-moe.ts';

/** DeepEP V2 through the network: puts, and a barrier of signals. */
export default mixtureOfExperts('gin');
