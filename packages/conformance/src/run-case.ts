import { World } from '@nccl-ts/communicator';
import { isNcclError, type NcclError } from '@nccl-ts/core';
import { validate } from '@nccl-ts/ir';
import type { Backend } from '@nccl-ts/transport';
import type { Case, CaseContext } from './case.ts';
import { applies, type Expectation } from './expectation.ts';
import { Mismatch } from './mismatch.ts';
import { recordBackend } from './record-backend.ts';
import { lacksOf, type Lack } from './requirements.ts';
import type { CaseVerdict, FailureCode, Variant, Verdict } from './verdict.ts';
import type { WorldShape } from './world-shape.ts';

/**
 * Makes the backend for a world of that shape. Throws `NCCLTS_NOT_SUPPORTED` if such a world is
 * impossible.
 */
export type BackendFactory = (shape: WorldShape) => Backend;

/** A run of a case in one shape and variant, which has one verdict. */
export interface CaseRun {
  readonly case: Case;
  readonly shape: WorldShape;
  readonly variant: Variant;
}

export interface RunCaseOptions {
  readonly backend: BackendFactory;
  readonly expectations?: readonly Expectation[];
  /** The time limit of a run, after which it fails with `timeout`. @default one minute */
  readonly timeoutMilliseconds?: number;
}

/** A verdict, and the thrown error, if any. */
export interface CaseOutcome {
  readonly verdict: CaseVerdict;
  readonly error?: unknown;
}

/** The result of a run before expectations are applied. */
type UnjudgedResult =
  | { readonly kind: 'pass' }
  | { readonly kind: 'unsupported'; readonly reason: string }
  | { readonly kind: 'fail'; readonly code: FailureCode; readonly error: unknown };

const minute = 60_000;
const passed: UnjudgedResult = { kind: 'pass' };

/**
 * One in this many cases also runs with a recorder. A few are enough, because all cases make the
 * same few calls.
 */
const RECORDED_STEP = 8;

/**
 * All runs of the cases: every case plain, then those with barriers over sub-teams, and then one in
 * eight with a recorder.
 */
export function caseRuns(cases: readonly Case[]): readonly CaseRun[] {
  const every = (variant: Variant, step: number): readonly CaseRun[] =>
    cases.filter((_, i) => i % step === 0).flatMap((one) => one.shapes.map((shape) => ({ case: one, shape, variant })));
  const all = (variant: Variant): readonly CaseRun[] => every(variant, 1);
  const halves = all('sub-team').filter(({ case: { derivesTeam }, shape }) => derivesTeam && shape.lsaSize % 2 === 0);
  return [...all('plain'), ...halves, ...every('recorded', RECORDED_STEP)];
}

/** Runs a case once. Never rejects, because the verdict contains all errors. */
export async function runCase(run: CaseRun, options: RunCaseOptions): Promise<CaseOutcome> {
  const { case: one, shape, variant } = run;
  const started = performance.now();
  const finding = await find(run, options);
  const milliseconds = Math.round(performance.now() - started);
  const expectation = options.expectations?.find((expected) => applies(expected, one.id, shape, variant));
  const judged = judge(finding, expectation);
  const verdict: CaseVerdict = Object.freeze({ case: one.id, ...shape, variant, ...judged.verdict, milliseconds });
  return 'error' in judged ? { verdict, error: judged.error } : { verdict };
}

interface JudgedRun {
  readonly verdict: {
    readonly verdict: Verdict;
    readonly code?: FailureCode;
    readonly reason?: string;
    readonly link?: string;
  };
  readonly error?: unknown;
}

function judge(finding: UnjudgedResult, expectation: Expectation | undefined): JudgedRun {
  switch (finding.kind) {
    case 'unsupported':
      return { verdict: { verdict: 'unsupported', reason: finding.reason } };
    case 'pass': {
      if (expectation === undefined) return { verdict: { verdict: 'pass' } };
      const reason = `passes, but was expected to fail with ${expectation.code}: ${expectation.reason}`;
      return { verdict: { verdict: 'fail', code: 'unexpected-pass', reason } };
    }
    case 'fail': {
      const { code, error } = finding;
      if (expectation === undefined) return { verdict: { verdict: 'fail', code, reason: messageOf(error) }, error };
      const { reason, link } = expectation;
      if (expectation.code === code) return { verdict: { verdict: 'expected-failure', code, reason, link } };
      const instead = `was expected to fail with ${expectation.code} (${reason}), but: ${messageOf(error)}`;
      return { verdict: { verdict: 'fail', code, reason: instead }, error };
    }
  }
}

async function find(run: CaseRun, options: RunCaseOptions): Promise<UnjudgedResult> {
  try {
    const bare = options.backend(run.shape);
    const record = run.variant === 'recorded' ? recordBackend(bare) : undefined;
    const backend = record?.backend ?? bare;
    const lacks = lacksOf(run.case.requires, backend.capabilities);
    const finding =
      lacks.length > 0 ? await companion(run, backend, lacks, options) : await perform(run, backend, options);
    const problems = record?.problems() ?? [];
    return finding.kind === 'pass' && problems.length > 0 ? failure(new Mismatch(problems.join(' '))) : finding;
  } catch (error) {
    if (isNcclError(error, 'NCCLTS_NOT_SUPPORTED')) return { kind: 'unsupported', reason: error.message };
    return failure(error);
  }
}

/**
 * Runs instead of a case whose requirements the backend lacks. The backend must refuse the case's
 * kernels, and not run them wrongly.
 */
async function companion(
  run: CaseRun,
  backend: Backend,
  lacks: readonly Lack[],
  options: RunCaseOptions,
): Promise<UnjudgedResult> {
  const reason = `lacks ${lacks.map(({ what }) => what).join(', ')}`;
  const unsupported: UnjudgedResult = { kind: 'unsupported', reason };
  if (lacks.some(({ refusedWith }) => refusedWith.length === 0)) return unsupported;
  if (run.case.kernels.some((kernel) => !validate(kernel.compile(), backend.capabilities).ok)) return unsupported;
  const finding = await perform(run, backend, options);
  const codes: readonly string[] = lacks.flatMap(({ refusedWith }) => refusedWith);
  if (finding.kind === 'unsupported' || (finding.kind === 'fail' && codes.includes(finding.code))) return unsupported;
  const instead =
    finding.kind === 'pass' ? 'ran a case that needs it' : `failed otherwise: ${messageOf(finding.error)}`;
  return {
    kind: 'fail',
    code: 'not-refused',
    error: new Mismatch(`The backend ${reason}, and must refuse with ${codes.join(' or ')}; it ${instead}.`),
  };
}

async function perform(run: CaseRun, backend: Backend, options: RunCaseOptions): Promise<UnjudgedResult> {
  const { case: one, shape, variant } = run;
  const world = await World.open({ backend });
  try {
    const { nRanks, lsaSize } = world.topology;
    if (nRanks !== shape.ranks || lsaSize !== shape.lsaSize) {
      const requested = `asked for ${shape.ranks} ranks in domains of ${shape.lsaSize}`;
      return { kind: 'unsupported', reason: `${requested}, but the backend has ${nRanks} in domains of ${lsaSize}` };
    }
    const limit = options.timeoutMilliseconds ?? minute;
    await within(limit, `case ${one.id}`, async (signal) => {
      const context: CaseContext = {
        world,
        shape,
        capabilities: backend.capabilities,
        team: variant === 'sub-team' ? 'inner' : 'lsa',
        run: async (program) => world.run(program, { signal }),
      };
      await one.run(context);
    });
    return passed;
  } catch (error) {
    if (lacksVersion(error, one.requires.ncclVersion)) return { kind: 'unsupported', reason: error.message };
    return failure(error);
  } finally {
    await world.close();
  }
}

/** True if a backend with an older NCCL refuses a feature that NCCL `version` has by this error. */
function lacksVersion(error: unknown, version: number | undefined): error is NcclError {
  const since = isNcclError(error, 'NCCLTS_NOT_SUPPORTED') ? error.details['since'] : undefined;
  return version !== undefined && typeof since === 'number' && since <= version;
}

class TimedOut extends Error {
  override readonly name: string = 'TimedOut';
}

/**
 * Runs `action`. After the time limit, aborts its signal. The promise then rejects even if `action`
 * does not end.
 */
async function within(limit: number, what: string, action: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  let timer: unknown;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new TimedOut(`${what} did not end within ${limit} ms.`);
      reject(error);
      controller.abort(error);
    }, limit);
  });
  try {
    await Promise.race([action(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

function failure(error: unknown): UnjudgedResult {
  return { kind: 'fail', code: codeOf(error), error };
}

function codeOf(error: unknown): FailureCode {
  if (isNcclError(error)) return error.code;
  if (error instanceof Mismatch) return 'mismatch';
  return error instanceof TimedOut ? 'timeout' : 'error';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
