import { mixtureOfExperts } from './deepep2-moe.ts';

/** DeepEP V2 through NVLink: loads and stores, and bulk copies. */
export default mixtureOfExperts('nvlink');
