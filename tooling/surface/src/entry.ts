import type { PlanReason, Reason } from './reasons.ts';

/** A package that will have a name. */
export type PlanningPackage =
  | 'cft'
  | 'collectives'
  | 'communicator'
  | 'devcomm'
  | 'gin'
  | 'll-a2a'
  | 'multimem'
  | 'reduce-copy';

/** The counterpart of one public name of NCCL. */
export type SurfaceEntry =
  | {
      readonly symbol: string;
      readonly status: 'mapped';
      /**
       * The location of the symbol: `package:Export`, `package:Export.member`, or
       * `package:Type='word'` for a word of a union.
       */
      readonly to: readonly string[];
      /** The part of NCCL's function that this one lacks. */
      readonly lacks: string | undefined;
    }
  | {
      readonly symbol: string;
      readonly status: 'planned';
      readonly in: PlanningPackage;
      /** The reason why it is still missing. */
      readonly because: PlanReason;
    }
  | { readonly symbol: string; readonly status: 'left out'; readonly reason: Reason };

type Targets = Readonly<Record<string, string>>;

/**
 * NCCL's name on the left. Its counterpart here is on the right, or several separated by spaces.
 */
export function mapped(targets: Targets): readonly SurfaceEntry[] {
  return lacking(undefined, targets);
}

/** The same for names that are only partly supported. `lacks` says what is missing. */
export function lacking(lacks: string | undefined, targets: Targets): readonly SurfaceEntry[] {
  return Object.entries(targets).map(([symbol, to]) => ({ symbol, status: 'mapped', to: words(to), lacks }));
}

/** Members that have the same name here: `struct::name` corresponds to `target.name`. */
export function membersMapped(struct: string, target: string, names: string): readonly SurfaceEntry[] {
  return mapped(Object.fromEntries(words(names).map((name) => [`${struct}::${name}`, `${target}.${name}`])));
}

/** Names that a package will have, and the reason why it does not have them yet. */
export function planned(where: PlanningPackage, because: PlanReason, names: string): readonly SurfaceEntry[] {
  return words(names).map((symbol) => ({ symbol, status: 'planned', in: where, because }));
}

export function leftOut(reason: Reason, names: string): readonly SurfaceEntry[] {
  return words(names).map((symbol) => ({ symbol, status: 'left out', reason }));
}

/** Returns `struct::name` for each of `names`, for the functions above. */
export function of(struct: string, names: string): string {
  return words(names)
    .map((name) => `${struct}::${name}`)
    .join(' ');
}

/** Splits a text at its spaces and line breaks. */
export function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
