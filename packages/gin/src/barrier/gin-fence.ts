import { wordParam, type WordParam } from '@nccl-ts/kernel';
import type { GinFence } from '../gin-module.ts';

export const fenceParam: WordParam<GinFence> = wordParam(['none', 'put', 'get', 'putGet']);
