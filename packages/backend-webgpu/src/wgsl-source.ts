import type { Site } from '@nccl-ts/findings';
import type { LaunchSpecialisation, Span, Type } from '@nccl-ts/ir';

/** The options of the text. */
export interface EmitWgslOptions extends LaunchSpecialisation {
  /** Ranks of a load-store domain: as many copies of a window has a launch record. */
  readonly lsaSize: number;
  /** Invocations that a workgroup may have. A larger CTA has several threads in each. */
  readonly maxWorkgroup: number;
  /** Bytes of workgroup memory. */
  readonly maxSharedBytes: number;
  /** True if f32 is rounded by IEEE 754 after every operation. */
  readonly exact: boolean;
  /** True if accesses out of bounds or misaligned are reported. */
  readonly checks: boolean;
  /** Rounds that a loop without an evident bound may take in one dispatch. */
  readonly fuel: number;
  /** Buffers of the caller that the launch can reach, beside the heap. */
  readonly segments: number;
  /** True to learn where each line comes from. @default false */
  readonly lines?: boolean;
}

/** The position of a kernel parameter in the launch record, in words. */
export interface RecordParam {
  readonly type: Type;
  readonly at: number;
}

/** A source location of the kernel that faults and reports refer to by number. */
export interface WgslSite extends Site {
  /** For assertions. */
  readonly message?: string;
}

/** A `print` of the kernel: how the words of its record are to be read. */
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
 * The combination of a kernel's accesses to the ranks' memory with those of kernels on other
 * devices, which see each other's only between their rounds. Separate for window memory and
 * resources.
 */
export interface Sharing {
  /**
   * True if it needs more than that: it reads, modifies and writes in one step, or requires a total
   * order.
   */
  readonly takesTurns: boolean;
  /** True if it stores less than a word. */
  readonly narrowStores: Readonly<Record<'heap' | 'resources', boolean>>;
  /**
   * True if it stores words with an order: several may store the same one, and readers must not see
   * a mixture.
   */
  readonly orderedStores: Readonly<Record<'heap' | 'resources', boolean>>;
  /** The parameters through which it may write, ascending. */
  readonly written: readonly number[];
}

/** WGSL that finds the waits of stuck CTAs, with the layout of its source. */
export interface WgslExplanation {
  readonly text: string;
  /** The loads of conditions, by number. */
  readonly loads: readonly { readonly space: 'global' | 'shared' | 'local'; readonly type: Type }[];
  /** The awaited values of conditions, by number: a value of the type between these words. */
  readonly needs: readonly { readonly before: string; readonly type: Type | undefined; readonly after: string }[];
}

/** WGSL that runs a kernel, and the requirements on its launches. */
export interface WgslSource {
  readonly text: string;
  /** Invocations of a workgroup. */
  readonly workgroup: number;
  /** Threads that each invocation runs. */
  readonly threadsEach: number;
  /** Words of a launch record. */
  readonly recordWords: number;
  readonly params: readonly RecordParam[];
  /** Words of state that each thread keeps while its CTA waits. */
  readonly threadWords: number;
  /** Words of shared arrays that a CTA keeps while it waits. */
  readonly arrayWords: number;
  /**
   * Words of shared arrays that a CTA has in the buffer of resources, because they do not fit in a
   * workgroup.
   */
  readonly sharedWords: number;
  readonly sites: readonly WgslSite[];
  readonly prints: readonly PrintSite[];
  readonly waits: readonly WaitSite[];
  /** Made on request: only a stuck kernel needs it. */
  readonly explain: () => WgslExplanation;
  /** True if one dispatch runs the kernel to its end: it must get no other. */
  readonly once: boolean;
  /**
   * The largest number of waits of a CTA, if that does not depend on data: as many rounds of a step
   * and a poll, and a last step, end a launch.
   */
  readonly rounds: number | undefined;
  /** True if accesses to window memory are atomic operations. */
  readonly atomicHeap: boolean;
  readonly sharing: Sharing;
  /** For each line of the text the statement that it is part of. Only if it was asked for. */
  readonly lines?: readonly (Span | undefined)[];
}
