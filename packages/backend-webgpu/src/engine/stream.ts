import { LaunchStream } from '@nccl-ts/transport';
import type { Launch } from './launch.ts';

/** A stream of this backend. */
export class Stream extends LaunchStream<Launch> {}
