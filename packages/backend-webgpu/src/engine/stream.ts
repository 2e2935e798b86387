import { LaunchStream } from '@nccl-ts/transport';
import type { WebgpuLaunch } from './launch.ts';

/** A stream of this backend. */
export class WebgpuStream extends LaunchStream<WebgpuLaunch> {}
