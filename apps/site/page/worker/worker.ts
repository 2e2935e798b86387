import type { WorkerMessage, WorkerRequest } from '../protocol.ts';
import { analyseProgram, problemOf } from './analyse-program.ts';
import type { CheckNews } from './check-program.ts';
import { takePort } from './private-port.ts';
import { replaceConsole } from './program-console.ts';
import { runProgram, timelineOf, traceOf } from './run-program.ts';

/** Sends a message to the page once the port is there. */
let send: (message: WorkerMessage) => void = () => {};

/** The abort controllers of requests, by request number. */
const stops = new Map<number, AbortController>();

/** Programs share the console and the packages' backend, so requests run one after the other. */
let queue: Promise<void> = Promise.resolve();

/** The request that is running. */
let running: number | undefined;

async function answer(id: number, request: Exclude<WorkerRequest, { readonly kind: 'stop' }>): Promise<void> {
  running = id;
  try {
    send({ kind: 'answer', id, answer: await answerOf(id, request) });
  } catch (error) {
    send({ kind: 'problem', id, problem: problemOf(error) });
  } finally {
    running = undefined;
    stops.delete(id);
  }
}

/** The shortest time between two messages about the progress of a request, in ms. */
const PROGRESS = 20;
let told = 0;

/** The page needs no more than some messages a second to show the progress. */
function tell(message: WorkerMessage): void {
  const now = performance.now();
  if (now - told < PROGRESS) return;
  told = now;
  send(message);
}

async function answerOf(id: number, request: Exclude<WorkerRequest, { readonly kind: 'stop' }>): Promise<unknown> {
  const stop = new AbortController();
  stops.set(id, stop);
  const news: CheckNews = {
    signal: stop.signal,
    onPhase: (phase) => tell({ kind: 'phase', id, phase }),
    onFinding: (message) => tell({ kind: 'finding', id, message }),
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
    case 'timeline':
      return timelineOf(request.width);
    case 'trace':
      return traceOf();
    case 'check':
      return (await import('./check-program.ts')).checkProgram(request.text, request.machine, request.replay, news);
    case 'predict':
      return (await import('./predict-program.ts')).predictProgram(request.text, request.ranks, request.bounds);
    case 'history':
      return (await import('./history.ts')).historyOf(request.text, request.machine);
    case 'executions':
      return (await import('./executions.ts')).executionsOf(request.text, request.machine);
    case 'relax':
      return (await import('./relax-text.ts')).relaxText(request.text, request.machine, news);
    case 'emit':
      return (await import('./emit-program.ts')).emitProgram(request.text, request.target, request.ranks);
    case 'ptx':
      return (await import('./check-ptx.ts')).checkPtx(request, news);
    case 'draft':
      return (await import('./check-ptx.ts')).draftOf(request.ptx, request.cuda);
    case 'launch':
      return (await import('./launch-form.ts')).launchForm(request.ptx, request.launch, request.cuda, request.change);
    case 'litmus':
      return (await import('./litmus-outcomes.ts')).litmusOutcomes(request.text);
    case 'barrier':
      return (await import('./barrier-states.ts')).barrierStates(request.ranks, request.order);
  }
}

replaceConsole();
send = await takePort(
  ({ id, request }) => {
    if (request.kind === 'stop') stops.get(id)?.abort();
    else queue = queue.then(async () => answer(id, request));
  },
  (error) => {
    if (running !== undefined) send({ kind: 'uncaught', id: running, problem: problemOf(error) });
  },
);
send({ kind: 'ready' });
