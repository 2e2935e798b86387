import {
  readLocals,
  sameType,
  type Diagnostic,
  type Expression,
  type LocalId,
  type Span,
  type Type,
} from '@nccl-ts/ir';

/** A variable whose first value was a literal: the literal alone has decided its type. */
export interface DecidedType {
  readonly name: string;
  readonly type: Type;
  readonly typeName: string;
  /** The literal where it stands. */
  readonly span: Span;
  readonly literal: string;
}

/** What a report is about, beside its own place. */
export interface ReportSubject {
  /** The variable that is assigned. */
  readonly target?: LocalId | undefined;
  /** Values that do not go together. */
  readonly values?: readonly (Expression | undefined)[];
  /** The type that the variable would have to have, as authors write it. */
  readonly wanted?: string | undefined;
}

/** Reports that another type of a variable may mend. */
const ofTypes: ReadonlySet<string> = new Set(['K2001', 'K2002', 'K2003', 'K2004', 'K2005', 'K2022']);

/**
 * `diagnostic` with the places at which literals decided the types that it is about, and what to
 * write there.
 */
export function withDeclarations(
  diagnostic: Diagnostic,
  { target, values = [], wanted }: ReportSubject,
  decided: ReadonlyMap<LocalId, DecidedType>,
): Diagnostic {
  if (!ofTypes.has(diagnostic.code)) return diagnostic;
  const found = new Map<LocalId, DecidedType>();
  const add = (id: LocalId): void => {
    const known = decided.get(id);
    if (known !== undefined) found.set(id, known);
  };
  if (target !== undefined) add(target);
  for (const value of values) {
    if (value === undefined) continue;
    for (const id of readLocals(value)) {
      const type = decided.get(id)?.type;
      // An index or a cast operand has a type of its own, which does not reach the value.
      if (type !== undefined && sameType(type, value.type)) add(id);
    }
  }
  const [first] = found.values();
  if (first === undefined) return diagnostic;
  const labels = [...found.values()].map(({ name, typeName, span, literal }) => ({
    span,
    text: `'${name}' is ${typeName}, because ${literal} alone says no more`,
  }));
  const larger = diagnostic.code === 'K2005' ? 'i64' : 'f32';
  const declared = `${wanted ?? larger}(${first.literal})`;
  const declare = `give '${first.name}' the type that is meant where it gets its first value: ${declared}`;
  const { hint } = diagnostic;
  const isTarget = target !== undefined && found.has(target);
  return Object.freeze({
    ...diagnostic,
    labels: Object.freeze([...diagnostic.labels, ...labels]),
    hint: isTarget || hint === undefined ? declare : `${hint}; or ${declare}`,
  });
}
