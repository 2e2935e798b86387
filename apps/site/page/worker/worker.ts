import { firstHarness, entryFacts, readPtxModule } from '@nccl-ts/harness';
import { matchingEntries } from '@nccl-ts/ptx';
import type { WorkerMessage, WorkerRequest } from '../protocol.ts';
import { analyseProgram, problemOf } from './analyse-program.ts';
import { checkProgram, checkPtx, type CheckNews } from './check-program.ts';
import { emitProgram } from './emit-program.ts';
import { litmusOutcomes } from './litmus-outcomes.ts';
import { runProgram } from './run-program.ts';

const send = (message: WorkerMessage): void => {
  globalThis.postMessage(message);
};

globalThis.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly request: WorkerRequest }>) => {
  void answer(data.id, data.request);
};

async function answer(id: number, request: WorkerRequest): Promise<void> {
  try {
    send({ kind: 'answer', id, answer: await answerOf(id, request) });
  } catch (error) {
    send({ kind: 'problem', id, problem: problemOf(error) });
  }
}

async function answerOf(id: number, request: WorkerRequest): Promise<unknown> {
  const news: CheckNews = {
    onPhase: (phase) => send({ kind: 'phase', id, phase }),
    onFinding: (message) => send({ kind: 'finding', id, message }),
  };
  switch (request.kind) {
    case 'analyse':
      return analyseProgram(request.text);
    case 'run':
      return runProgram(request.text, request.machine, request.width);
    case 'check':
      return checkProgram(request.text, request.machine, request.replay, news);
    case 'emit':
      return emitProgram(request.text, request.target, request.ranks);
    case 'ptx':
      return checkPtx(request.ptx, request.launch, request.cuda, news);
    case 'draft':
      return draftOf(request.ptx);
    case 'litmus':
      return litmusOutcomes(request.text);
  }
}

/** A first launch of the first entry, to fill in. */
function draftOf(ptx: string): string {
  const module = readPtxModule(ptx, 'kernel.ptx');
  const [entry] = matchingEntries(module, /^/);
  if (entry === undefined) throw new TypeError('cannot describe a launch, because the text has no entry; paste PTX with a .entry.');
  return firstHarness(entryFacts(module, entry), 'kernel.ptx');
}

send({ kind: 'ready' });
