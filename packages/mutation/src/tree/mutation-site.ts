import { statementBodies, type Body, type CallStatement, type Module, type Statement } from '@nccl-ts/ir';

/**
 * The path to a statement: an index into a body, then the number of a body of that statement, then
 * an index into that body, and so on. One statement object may occur on several paths.
 */
export type Path = readonly number[];

/** A statement of a kernel, and the surroundings that an operator needs. */
export interface MutationSite {
  readonly module: Module;
  readonly statement: Statement;
  readonly path: Path;
  /**
   * A name such as `gin.put#1/call gin.post#1`: the enclosing calls, each counted within its own
   * surroundings, and then the statement.
   */
  readonly name: string;
  /** The surrounding calls, outermost first. */
  readonly calls: readonly CallStatement[];
}

/**
 * Calls that are one instruction. Their portable body defines the instruction, and cannot be
 * changed.
 */
const instruction = /^multimem\./;

/**
 * Returns every site of `module`, in program order, parents first. It leaves out the bodies of
 * instructions.
 */
export function mutationSites(module: Module): readonly MutationSite[] {
  const sites: MutationSite[] = [];
  const visit = (body: Body, before: Path, within: Enclosing): void => {
    body.forEach((statement, index) => {
      const path = [...before, index];
      const word = statement.kind === 'call' ? statement.name : statement.kind;
      const count = (within.counts.get(word) ?? 0) + 1;
      within.counts.set(word, count);
      const name = `${within.prefix}${word}#${count}`;
      sites.push({ module, statement, path, name, calls: within.calls });
      if (statement.kind === 'call' && instruction.test(statement.name)) return;
      const inner: Enclosing =
        statement.kind === 'call'
          ? { prefix: `${name}/`, counts: new Map(), calls: [...within.calls, statement] }
          : within;
      statementBodies(statement).forEach((nested, which) => visit(nested, [...path, which], inner));
    });
  };
  visit(module.body, [], { prefix: '', counts: new Map(), calls: [] });
  return sites;
}

/** The scope of names and counts: the innermost call, or the kernel. */
interface Enclosing {
  readonly prefix: string;
  readonly counts: Map<string, number>;
  readonly calls: readonly CallStatement[];
}
