import type { Site } from '@nccl-ts/findings';
import type { LaunchSpecialisation, Span, Type } from '@nccl-ts/ir';

/** The options of the text. */
export interface EmitWgslOptions extends LaunchSpecialisation {
  /** The number of ranks of a load-store domain, and of copies of a window in a launch record. */
  readonly lsaSize: number;
  /** The largest number of invocations of a workgroup. A larger CTA has several threads in each. */
  readonly maxWorkgroup: number;
  /** The bytes of workgroup memory. */
  readonly maxSharedBytes: number;
  /** True if f32 is rounded by IEEE 754 after every operation. */
  readonly exact: boolean;
  /** True if accesses out of bounds or misaligned are reported. */
  readonly checks: boolean;
  /** The rounds that a loop without an evident bound may run in one dispatch. */
  readonly fuel: number;
  /** The number of callers' buffers that the launch can access, besides the heap. */
  readonly segments: number;
  /** True to learn where each line comes from. @default false */
  readonly lines?: boolean;
}

/** The position of a kernel parameter in the launch record, in words. */
export interface RecordParam {
  readonly type: Type;
  readonly at: number;
}

/** A source location of the kernel to which faults and reports refer by number. */
export interface WgslSite extends Site {
  /** For assertions. */
  readonly message?: string;
}

/** A `print` of the kernel, which determines how the words of its record are read. */
export interface PrintSite {
  readonly parts: readonly (string | Type)[];
}

/** A source location at which CTAs wait for others. */
export interface WaitSite {
  /** The value of the program counter of a CTA that waits here. */
  readonly label: number;
  readonly site: number;
  readonly kind: 'wait' | 'waitAll';
  /** True if all threads of the CTA wait together. */
  readonly whole: boolean;
}

/**
 * How a kernel's accesses to the ranks' memory combine with those of kernels on other devices,
 * which see each other's accesses only between rounds. Window memory and resources are separate.
 */
export interface Sharing {
  /**
   * True if that is not enough for the kernel: it reads, modifies and writes in one step, or
   * requires a total order.
   */
  readonly takesTurns: boolean;
  /** True if it stores less than a word. */
  readonly narrowStores: Readonly<Record<'heap' | 'resources', boolean>>;
  /**
   * True if it stores words with an order: several ranks may store the same word, and readers must
   * not see a mixture.
   */
  readonly orderedStores: Readonly<Record<'heap' | 'resources', boolean>>;
  /** The parameters through which it may write, in ascending order. */
  readonly written: readonly number[];
}

/** WGSL that finds the waits of stuck CTAs, and the layout of its results. */
export interface WgslExplanation {
  readonly text: string;
  /** The loads of conditions, by number. */
  readonly loads: readonly { readonly space: 'global' | 'shared' | 'local'; readonly type: Type }[];
  /** The awaited values of conditions, by number: a value of the type between these words. */
  readonly needs: readonly { readonly before: string; readonly type: Type | undefined; readonly after: string }[];
}

/** WGSL that runs a kernel, and what it requires of its launches. */
export interface WgslSource {
  readonly text: string;
  /** Invocations of a workgroup. */
  readonly workgroup: number;
  /** Threads that each invocation runs. */
  readonly threadsEach: number;
  /** Words of a launch record. */
  readonly recordWords: number;
  readonly params: readonly RecordParam[];
  /** The words of state that each thread stores while its CTA waits. */
  readonly threadWords: number;
  /** The words of shared arrays that a CTA stores while it waits. */
  readonly arrayWords: number;
  /**
   * The words of shared arrays that a CTA has in the buffer of resources, because they do not fit
   * into a workgroup.
   */
  readonly sharedWords: number;
  readonly sites: readonly WgslSite[];
  readonly prints: readonly PrintSite[];
  readonly waits: readonly WaitSite[];
  /** Generated on demand, because only a stuck kernel needs it. */
  readonly explain: () => WgslExplanation;
  /** True if one dispatch runs the kernel to its end. It must not get another. */
  readonly once: boolean;
  /**
   * The largest number of waits of a CTA, if that does not depend on data. This many rounds of a
   * step and a poll, and a last step, complete a launch.
   */
  readonly rounds: number | undefined;
  /** True if accesses to window memory are atomic operations. */
  readonly atomicHeap: boolean;
  readonly sharing: Sharing;
  /** For each line of the text the statement that it is part of. Only if it was asked for. */
  readonly lines?: readonly (Span | undefined)[];
}
