import { wordParam, type WordParam } from '@nccl-ts/kernel';
import type { GinFence } from '../gin-module.ts';

/** The parameter type for a `GinFence`. */
export const fenceParam: WordParam<GinFence> = wordParam(['none', 'put', 'get', 'putGet']);
