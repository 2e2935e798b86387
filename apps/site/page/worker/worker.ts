import type { WorkerMessage, WorkerRequest } from '../protocol.ts';
import { analyseProgram, problemOf } from './analyse-program.ts';
import type { CheckNews } from './check-program.ts';
import { runProgram } from './run-program.ts';

const send = (message: WorkerMessage): void => {
  globalThis.postMessage(message);
};

globalThis.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly request: WorkerRequest }>) => {
  const { id, request } = data;
  if (request.kind === 'stop') stops.get(id)?.abort();
  else queue = queue.then(async () => answer(id, request));
};

/** The abort controllers of requests, by request number. */
const stops = new Map<number, AbortController>();

/** Programs share the console and the packages' backend, so requests run one after the other. */
let queue: Promise<void> = Promise.resolve();

async function answer(id: number, request: Exclude<WorkerRequest, { readonly kind: 'stop' }>): Promise<void> {
  try {
    send({ kind: 'answer', id, answer: await answerOf(id, request) });
  } catch (error) {
    send({ kind: 'problem', id, problem: problemOf(error) });
  } finally {
    stops.delete(id);
  }
}

async function answerOf(id: number, request: Exclude<WorkerRequest, { readonly kind: 'stop' }>): Promise<unknown> {
  const stop = new AbortController();
  stops.set(id, stop);
  const news: CheckNews = {
    signal: stop.signal,
    onPhase: (phase) => send({ kind: 'phase', id, phase }),
    onFinding: (message) => send({ kind: 'finding', id, message }),
  };
  switch (request.kind) {
    case 'analyse':
      // The page requests this once Run is enabled, so the script of the check delays nothing.
      void import('./check-program.ts');
      return analyseProgram(request.text);
    case 'run':
      return request.machine.isGpu === true
        ? (await import('./run-on-gpu.ts')).runOnGpu(request.text, request.machine)
        : runProgram(request.text, request.machine, request.width);
    case 'check':
      return (await import('./check-program.ts')).checkProgram(request.text, request.machine, request.replay, news);
    case 'predict':
      return (await import('./predict-program.ts')).predictProgram(request.text, request.ranks, request.bounds);
    case 'history':
      return (await import('./history.ts')).historyOf(request.text, request.machine);
    case 'executions':
      return (await import('./executions.ts')).executionsOf(request.text, request.machine);
    case 'emit':
      return (await import('./emit-program.ts')).emitProgram(request.text, request.target, request.ranks);
    case 'ptx':
      return (await import('./check-ptx.ts')).checkPtx(request, news);
    case 'draft':
      return (await import('./check-ptx.ts')).draftOf(request.ptx);
    case 'launch':
      return (await import('./launch-form.ts')).launchForm(request.ptx, request.launch, request.change);
    case 'litmus':
      return (await import('./litmus-outcomes.ts')).litmusOutcomes(request.text);
    case 'barrier':
      return (await import('./barrier-states.ts')).barrierStates(request.ranks, request.order);
  }
}

send({ kind: 'ready' });
