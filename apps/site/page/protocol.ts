import type { CheckReportJson, DiagnosticJson, Fix, FixEdit } from '@nccl-ts/findings';

/** The machine that runs a program. */
export interface Machine {
  readonly ranks: number;
  /** The number of ranks in one load-store domain; all ranks by default. */
  readonly lsaSize?: number;
  readonly seed: number;
  /** True to run on the reader's GPU through WebGPU. Checks still run on the simulator. */
  readonly isGpu?: true;
}

export type WorkerRequest =
  /** Asks the check with the same number to stop. This message has no response of its own. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'analyse'; readonly text: string }
  | { readonly kind: 'run'; readonly text: string; readonly machine: Machine; readonly width: number }
  /** The timeline of the last run with another width, and the same as a trace for Perfetto. */
  | { readonly kind: 'timeline'; readonly width: number }
  | { readonly kind: 'trace' }
  | { readonly kind: 'predict'; readonly text: string; readonly ranks: number; readonly bounds: boolean }
  | { readonly kind: 'history'; readonly text: string; readonly machine: Machine }
  | { readonly kind: 'executions'; readonly text: string; readonly machine: Machine }
  | { readonly kind: 'check'; readonly text: string; readonly machine: Machine; readonly replay?: string }
  | { readonly kind: 'relax'; readonly text: string; readonly machine: Machine }
  | { readonly kind: 'emit'; readonly text: string; readonly target: EmitTarget; readonly ranks: number }
  | {
      readonly kind: 'ptx';
      readonly ptx: string;
      readonly launch: string;
      readonly cuda?: string;
      readonly residentCtas?: number;
    }
  | { readonly kind: 'draft'; readonly ptx: string; readonly cuda?: string }
  | {
      readonly kind: 'launch';
      readonly ptx: string;
      readonly launch: string;
      readonly cuda?: string;
      readonly change?: LaunchChange;
    }
  | { readonly kind: 'litmus'; readonly text: string }
  | { readonly kind: 'barrier'; readonly ranks: number; readonly order: readonly number[] };

export type EmitTarget = 'cuda' | 'wgsl' | 'ir';

export interface KernelAnalysis {
  readonly diagnostics: readonly DiagnosticJson[];
  readonly kernels: readonly string[];
  /** True if the module exports a host program, or opens its own world. */
  readonly hasHost: boolean;
  /** The reason why the module could not be loaded. */
  readonly problem?: Problem;
}

/** An error, in the form in which the worker sends it to the page. */
export interface Problem {
  readonly code?: string;
  readonly message: string;
  /** The line in the program, from 1. */
  readonly line?: number;
}

/** A window of one rank at the end of a run. */
export interface MemoryRow {
  readonly rank: number;
  readonly window: number;
  readonly type: string;
  readonly count: number;
  /** The values of the first elements. */
  readonly values: readonly string[];
}

/** The bytes that a rank's kernels moved over its link to one peer. */
export interface LinkBytes {
  readonly rank: number;
  readonly peer: number;
  readonly loaded: number;
  readonly stored: number;
}

/** The time of a program on GPUs, as `nccl-ts predict` reports it. */
export interface PredictResult {
  readonly nanoseconds: number;
  /** The causes, the greatest first. Empty unless requested. */
  readonly bounds: readonly { readonly name: string; readonly nanoseconds: number }[];
}

export interface RunResult {
  readonly results: readonly string[];
  readonly memory: readonly MemoryRow[];
  readonly log: readonly string[];
  readonly svg: string;
  readonly traffic: readonly LinkBytes[];
  /** The GPU that ran the program, if any. */
  readonly ranOn?: string;
  readonly milliseconds: number;
}

export interface HistoryWindow {
  readonly name: string;
  readonly type: string;
  /** The number of elements shown. */
  readonly count: number;
  /** The total number of elements. */
  readonly all: number;
}

/** The write of one element in a turn. */
export interface CellWriter {
  /** The index of the window. */
  readonly window: number;
  readonly rank: number;
  readonly element: number;
  readonly value: string;
  readonly by: string;
  readonly line?: number;
  /** Earlier writers that are not ordered before the last one. */
  readonly also: readonly string[];
}

/** The memory of all ranks, turn by turn. */
export interface History {
  readonly windows: readonly HistoryWindow[];
  readonly turns: readonly { readonly who: string; readonly writes: readonly CellWriter[] }[];
}

/** A read that returns a different write in another execution. */
export interface OpenRead {
  readonly who: string;
  readonly where: string;
  readonly value: string;
  readonly took: string;
  /** The writes that it returns in other executions. */
  readonly others: readonly string[];
  readonly line?: number;
}

/** The executions that the memory model allows. */
export interface Executions {
  readonly complete: boolean;
  readonly executions: readonly {
    readonly races: number;
    readonly isStuck: boolean;
    readonly reads: readonly OpenRead[];
    readonly graph: ExecutionGraph;
  }[];
}

/** Reads and writes of an execution, as the page draws them. */
export interface ExecutionGraph {
  /** Pairs of writes to one location of which the first comes first in its coherence order. */
  readonly coherence: readonly (readonly [before: number, after: number])[];
  /** The threads, each with a column. */
  readonly agents: readonly string[];
  /** The number of threads that are left out. */
  readonly moreAgents: number;
  /** In program order for each thread. */
  readonly events: readonly ExecutionEvent[];
  /** The write that each read returned. A write without an event is the initial memory. */
  readonly reads: readonly (readonly [write: number, read: number])[];
  /** The writes that reads return in other executions. */
  readonly others: readonly (readonly [write: number, read: number])[];
}

export interface ExecutionEvent {
  readonly id: number;
  /** The index of its thread. */
  readonly agent: number;
  readonly text: string;
  /** A second line of text: the memory location. */
  readonly note?: string;
  /** The memory location, and what the event does there; a fence has none. */
  readonly at?: string;
  readonly does?: 'read' | 'write';
  /** True for a read that returns another write in another execution. */
  readonly isOpen?: boolean;
}

export interface CheckResult {
  readonly report: CheckReportJson;
  readonly text: string;
  readonly verdict: string;
  readonly proof: string;
  /**
   * For each finding, the changes that fix the program, in the order in which to apply them. Empty
   * if none is known.
   */
  readonly fixes: readonly (readonly Fix[])[];
  /** For each finding, the picture of its deadlock if it is one. */
  readonly deadlocks: readonly (DeadlockPicture | undefined)[];
  /** For a kernel of PTX: true if its launch has compared a result. */
  readonly compared?: boolean;
  readonly milliseconds: number;
}

/** The synchronizations of a program, and those that it does not need. */
export interface RelaxResult {
  readonly places: readonly RelaxedPlace[];
  /** The predicted time before and after, as a sentence; empty if none is predicted. */
  readonly times: string;
  /** The inputs that have judged, and those that could not, with the reason. */
  readonly inputs: readonly string[];
  readonly unusable: readonly string[];
  /** The number of offers that hold together, and the edits of those that can be written. */
  readonly together: number;
  readonly written: number;
  readonly edits: readonly FixEdit[];
  readonly milliseconds: number;
}

export interface RelaxedPlace {
  readonly line: number;
  /** The statement, as in `lsa.barrierSession.sync`, and its kernel. */
  readonly name: string;
  readonly kernel: string;
  readonly judgement: string;
  readonly reason: string;
  /** True for an offer to leave it out, or to make it weaker. */
  readonly isOffer: boolean;
}

/** A deadlock, by rank. */
export interface DeadlockPicture {
  /** The ranks that never come, or the reason why no rank goes on, as a sentence. */
  readonly cause: string;
  /** Advice to the author. */
  readonly help?: string;
  readonly lanes: readonly DeadlockLane[];
  /** True if other findings of the report may follow from it, rather than it from them. */
  readonly leads: boolean;
}

export interface DeadlockLane {
  readonly rank: number;
  /** A waiting rank stands at a line; a rank that is gone never comes there. */
  readonly state: 'waits' | 'gone';
  /** `waits at barrier 0 for rank 1`, `its kernel shift has ended`. */
  readonly text: string;
  readonly line?: number;
}

export interface EmitResult {
  readonly text: string;
  /** For each line of `text`, the line of the program that it comes from, or 0 if there is none. */
  readonly lines: readonly number[];
}

export interface LitmusOutcome {
  readonly values: Readonly<Record<string, string>>;
  readonly executions: number;
  readonly isRacy: boolean;
  readonly events: readonly ExecutionEvent[];
  /** The write that each read returned. */
  readonly reads: readonly (readonly [write: number, read: number])[];
  /** Writes to one location, of which the second is the last. */
  readonly coherence: readonly (readonly [before: number, after: number])[];
}

export interface LitmusResult {
  readonly outcomes: readonly LitmusOutcome[];
  readonly executions: number;
  readonly complete: boolean;
  readonly condition?: { readonly text: string; readonly isAllowed: boolean };
}

/** A launch of PTX as fields. Each field is a range of the text of the launch. */
export interface LaunchForm {
  /** The text, if the worker has changed it. */
  readonly text?: string;
  /** The reason why the text has no fields. */
  readonly problem?: string;
  /** The entries of the PTX text. */
  readonly entries: readonly string[];
  /** The memory that an argument can point to, by the names of the text. */
  readonly buffers: readonly string[];
  readonly fields: readonly LaunchField[];
  readonly parameters: readonly LaunchParameter[];
  /** The reason why the arguments have no fields. */
  readonly note?: string;
  /** The buffers that are no arguments themselves: others may point to them. */
  readonly memory: readonly LaunchMemory[];
}

export interface LaunchMemory {
  /** The name of its constant in the text. */
  readonly name: string;
  /** False if nothing points to it, so it can be removed. */
  readonly isUsed: boolean;
  readonly fields: readonly LaunchField[];
}

export interface LaunchField {
  readonly label: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
  /** The text before and after the value, if the launch does not have it yet. */
  readonly around?: readonly [before: string, after: string];
  readonly options?: readonly string[];
  /** The value that only the author knows, if the text does not have it yet: `an integer`. */
  readonly ask?: string;
  /** Values that may be meant. */
  readonly candidates?: readonly string[];
  /** The text that stands for no value. */
  readonly empty?: string;
  /** The value that holds if there is none. */
  readonly placeholder?: string;
}

/**
 * The form of an argument. A `struct` has a field for each of its members; `other` is an expression
 * that the page shows as text; `ask` is a value that the text does not have yet.
 */
export type LaunchKind = 'buffer' | 'scalar' | 'peers' | 'bytes' | 'struct' | 'other' | 'missing' | 'ask';

export interface LaunchParameter {
  /** The name in the CUDA C++ source, if that is known. */
  readonly name?: string;
  /** The memory of a buffer, by its name in the text. */
  readonly memory?: string;
  /** The facts from the PTX text: `8 bytes, a pointer`. */
  readonly about: string;
  readonly kind: LaunchKind;
  readonly fields: readonly LaunchField[];
}

/** Gives an argument another form, or adds or removes a buffer. */
export type LaunchChange =
  | {
      /** The number of the parameter. */
      readonly parameter: number;
      readonly kind: Exclude<LaunchKind, 'struct' | 'other' | 'missing' | 'ask'>;
    }
  | {
      readonly parameter: number;
      /** The memory to which the argument points, as another argument or a table does. */
      readonly same: string;
    }
  | { readonly add: 'memory' }
  | { readonly remove: string };

/** The state of a barrier after some arrivals. */
export interface BarrierState {
  /** The rank that arrived last. */
  readonly came: number | undefined;
  /** How often each rank has arrived. */
  readonly arrived: readonly number[];
  /** The inbox words that ranks wait for, as the simulator reports them. */
  readonly waits: readonly {
    readonly rank: number;
    readonly peer: number;
    readonly value: number;
    readonly needed: string;
  }[];
}

export interface Answers {
  readonly stop: never;
  readonly analyse: KernelAnalysis;
  readonly run: RunResult;
  readonly check: CheckResult;
  readonly predict: PredictResult;
  readonly timeline: string;
  readonly trace: string;
  readonly history: History;
  readonly executions: Executions;
  readonly relax: RelaxResult;
  readonly emit: EmitResult;
  readonly ptx: CheckResult;
  readonly draft: string;
  readonly launch: LaunchForm;
  readonly litmus: LitmusResult;
  readonly barrier: readonly BarrierState[];
}

export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'phase'; readonly id: number; readonly phase: string }
  | { readonly kind: 'finding'; readonly id: number; readonly message: string }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'problem'; readonly id: number; readonly problem: Problem }
  /** The program has thrown where nothing catches it, so its worker is of no more use. */
  | { readonly kind: 'uncaught'; readonly id: number; readonly problem: Problem };
