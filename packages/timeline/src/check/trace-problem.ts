/** The location of a problem. */
interface AtEvent {
  /** The event's index in the trace. */
  readonly event: number;
}

/**
 * A violation of the Trace Event Format, or something that is ambiguous for viewers.
 *
 * - `shape`: the trace is neither an array of events nor an object with `traceEvents`;
 * - `timeUnit`: `displayTimeUnit` is neither `ms` nor `ns`;
 * - `notAnObject`: an event is not an object;
 * - `phase`: an event's `ph` is not in the format;
 * - `missing`: a required field of this phase is absent;
 * - `wrong`: a field has another type or is out of range;
 * - `together`: an event may have only one of two fields;
 * - `duplicate`: metadata that an earlier event has already set, for the same process or thread;
 * - `unmatchedEnd`, `unmatchedBegin`: an `E` without a `B` before it on its thread, and the
 *   reverse;
 * - `overlap`: a slice begins inside another one of its thread and ends after it;
 * - `flowStarts`, `flowFinishes`: a flow that never starts or finishes, or does so more than once;
 * - `flowBackwards`: a flow that finishes, or takes a step, before it has started, or takes a step
 *   after it finished;
 * - `flowLoose`: an event of a flow that no slice of its thread encloses, or, without a binding
 *   point, that no slice follows.
 */
export type TraceProblem =
  | { readonly kind: 'shape'; readonly given: string }
  | { readonly kind: 'timeUnit'; readonly given: string }
  | (AtEvent & { readonly kind: 'notAnObject'; readonly given: string })
  | (AtEvent & { readonly kind: 'phase'; readonly given: string })
  | (AtEvent & { readonly kind: 'missing'; readonly phase: string; readonly field: string; readonly expected: string })
  | (AtEvent & {
      readonly kind: 'wrong';
      readonly phase: string;
      readonly field: string;
      readonly expected: string;
      readonly given: string;
    })
  | (AtEvent & { readonly kind: 'together'; readonly fields: readonly [string, string] })
  | (AtEvent & { readonly kind: 'duplicate'; readonly name: string; readonly earlier: number })
  | (AtEvent & { readonly kind: 'unmatchedEnd' | 'unmatchedBegin' })
  | (AtEvent & { readonly kind: 'overlap'; readonly other: number })
  | (AtEvent & {
      readonly kind: 'flowStarts' | 'flowFinishes';
      /** The number of times that it does. */
      readonly times: number;
      readonly flow: string;
    })
  | (AtEvent & { readonly kind: 'flowBackwards'; readonly other: number; readonly flow: string })
  | (AtEvent & { readonly kind: 'flowLoose'; readonly flow: string });
