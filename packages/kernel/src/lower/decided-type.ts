import {
  readLocals,
  sameType,
  type Diagnostic,
  type Expression,
  type LocalId,
  type Span,
  type Type,
} from '@nccl-ts/ir';
import { meant } from '../diagnose/repairs.ts';

/** A variable whose type follows from a literal alone, because that was its first value. */
export interface DecidedType {
  readonly name: string;
  readonly type: Type;
  readonly typeName: string;
  /** The span of the literal. */
  readonly span: Span;
  readonly literal: string;
}

/** The further spans of a report. */
export interface ReportSubject {
  /** The variable that is assigned. */
  readonly target?: LocalId | undefined;
  /** Values whose types do not match. */
  readonly values?: readonly (Expression | undefined)[];
  /** The type that the variable would need, as authors write it. */
  readonly wanted?: string | undefined;
}

/** Reports that a different type of a variable may fix. */
const ofTypes: ReadonlySet<string> = new Set(['K2001', 'K2002', 'K2003', 'K2004', 'K2005', 'K2022']);

/** Adds to `diagnostic` the literals that decided its types, with a suggestion for each. */
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
      // The type of an index or of a cast's operand does not affect the value.
      if (type !== undefined && sameType(type, value.type)) add(id);
    }
  }
  const [first] = found.values();
  if (first === undefined) return diagnostic;
  const labels = [...found.values()].map(({ name, typeName, span, literal }) => ({
    span,
    text: `'${name}' is ${typeName}, the default type of the literal ${literal}`,
  }));
  const larger = diagnostic.code === 'K2005' ? 'i64' : 'f32';
  const declared = `${wanted ?? larger}(${first.literal})`;
  const declare = `give '${first.name}' the intended type at its first value: ${declared}`;
  const { hint } = diagnostic;
  const isTarget = target !== undefined && found.has(target);
  return Object.freeze({
    ...diagnostic,
    labels: Object.freeze([...diagnostic.labels, ...labels]),
    hint: isTarget || hint === undefined ? declare : `${hint}; or ${declare}`,
    repair: meant(first.span, declared),
  });
}
