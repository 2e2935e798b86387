import type { Problem, WorkerMessage } from './protocol.ts';

/** The most characters of a message that is shown while a request runs. */
const CHARACTERS = 300;

/** Returns a message of the worker, or `undefined` if it has another form than the protocol's. */
export function workerMessage(data: unknown): WorkerMessage | undefined {
  if (!isObject(data)) return undefined;
  const { kind, id } = data;
  if (kind === 'ready') return { kind };
  if (typeof id !== 'number') return undefined;
  if (kind === 'phase' && typeof data['phase'] === 'string') {
    return { kind, id, phase: data['phase'].slice(0, CHARACTERS) };
  }
  if (kind === 'finding' && typeof data['message'] === 'string') {
    return { kind, id, message: data['message'].slice(0, CHARACTERS) };
  }
  if (kind === 'answer' && data['answer'] !== undefined) return { kind, id, answer: data['answer'] };
  if ((kind === 'problem' || kind === 'uncaught') && isProblem(data['problem']))
    return { kind, id, problem: data['problem'] };
  return undefined;
}

function isProblem(value: unknown): value is Problem {
  return (
    isObject(value) &&
    typeof value['message'] === 'string' &&
    (value['code'] === undefined || typeof value['code'] === 'string') &&
    (value['line'] === undefined || typeof value['line'] === 'number')
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
