import { statementBodies, type Body, type Module, type Statement } from '@nccl-ts/ir';
import { authorRange, type AuthorFile, type AuthorRange } from '../../author-range.ts';

/** A statement of a kernel that its author has written in the file that is repaired. */
export interface AuthorStatement extends AuthorRange {
  readonly statement: Statement;
  /** The number of conditions around it. */
  readonly depth: number;
  /** The number of loops around it. */
  readonly loops: number;
  /** True if its value may end a wait. */
  readonly isPolled: boolean;
  /** True for a statement that contains others, such as a loop. */
  readonly isBlock: boolean;
}

interface Around {
  readonly depth: number;
  readonly loops: number;
  readonly isPolled: boolean;
  /** The first line of the loop that it is directly in. */
  readonly loop?: number | undefined;
}

/** The statements of the author, each once, in the order of the kernel. */
export function authorStatements(module: Module, file: AuthorFile): readonly AuthorStatement[] {
  const found = new Map<string, AuthorStatement>();
  const visit = (body: Body, around: Around): void => {
    for (const statement of body) {
      const { kind, span } = statement;
      const isBlock = kind === 'if' || kind === 'loop' || kind === 'block';
      const range = authorRange(module, span, file);
      const isPolled = around.isPolled || (range !== undefined && range.line === around.loop);
      if (range !== undefined)
        found.set(`${range.start} ${range.end} ${kind}`, {
          statement,
          ...range,
          depth: around.depth,
          loops: around.loops,
          isPolled,
          isBlock,
        });
      // The author has not written the statements of the device API.
      if (kind === 'call' && statement.name.includes('.')) continue;
      const inner = {
        depth: around.depth + (kind === 'if' ? 1 : 0),
        loops: around.loops + (kind === 'loop' ? 1 : 0),
        isPolled: around.isPolled || kind === 'wait' || kind === 'waitAll',
        loop: kind === 'loop' ? range?.line : around.loop,
      };
      for (const nested of statementBodies(statement)) visit(nested, inner);
    }
  };
  visit(module.body, { depth: 0, loops: 0, isPolled: false });
  return [...found.values()];
}

/** The lines of the file from the first of some statements to the end of the last. */
export function textOfStatements(statements: readonly AuthorStatement[], text: string): string {
  const from = Math.min(...statements.map(({ start }) => start));
  return text.slice(text.lastIndexOf('\n', from) + 1, Math.max(...statements.map(({ end }) => end)));
}
