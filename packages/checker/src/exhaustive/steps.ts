import type { Request } from '@nccl-ts/memory-model';

export type Steps<T> = Generator<Request, T, unknown>;
