import type {
  DevCommHandle,
  DeviceBuffer,
  Executable,
  GraphHandle,
  RankGroup,
  StreamHandle,
  WindowHandle,
} from '@nccl-ts/transport';
import { CudaBuffer } from './cuda-buffer.ts';
import { CudaDevComm } from './cuda-dev-comm.ts';
import { CudaEvent } from './cuda-event.ts';
import { CudaExecutable } from './cuda-executable.ts';
import { CudaGraph } from './cuda-graph.ts';
import { CudaGroup } from './cuda-group.ts';
import { CudaStream } from './cuda-stream.ts';
import { CudaWindow } from './cuda-window.ts';
import type { EventHandle } from './cuda-world.ts';
import { foreign } from './errors.ts';

export function cudaBuffer(buffer: DeviceBuffer): CudaBuffer {
  if (buffer instanceof CudaBuffer) return buffer;
  throw foreign('memory');
}

export function cudaWindow(window: WindowHandle): CudaWindow {
  if (window instanceof CudaWindow) return window;
  throw foreign('window');
}

export function cudaDevComm(devComm: DevCommHandle): CudaDevComm {
  if (devComm instanceof CudaDevComm) return devComm;
  throw foreign('device communicator');
}

export function cudaExecutable(executable: Executable): CudaExecutable {
  if (executable instanceof CudaExecutable) return executable;
  throw foreign('kernel');
}

export function cudaStream(stream: StreamHandle): CudaStream {
  if (stream instanceof CudaStream) return stream;
  throw foreign('stream');
}

export function cudaGraph(graph: GraphHandle): CudaGraph {
  if (graph instanceof CudaGraph) return graph;
  throw foreign('graph');
}

export function cudaEvent(event: EventHandle): CudaEvent {
  if (event instanceof CudaEvent) return event;
  throw foreign('event');
}

export function cudaGroup(group: RankGroup): CudaGroup {
  if (group instanceof CudaGroup) return group;
  throw foreign('group');
}
