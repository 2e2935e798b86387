import type { Writer } from '@nccl-ts/ir';

/**
 * A construct that a jump may leave: a loop, or a block of the IR, which becomes a `switch` with
 * one case.
 */
interface JumpFrame {
  readonly kind: 'loop' | 'block';
  readonly label: number | undefined;
  /** Set by a jump from inside another construct to the end of this one. */
  flag: string | undefined;
  /** The flags of outer constructs that jumps inside this one set. */
  readonly passing: Set<string>;
}

/**
 * Jumps in a language that can leave only the innermost construct. A jump further out sets a flag,
 * and every construct in between is left in turn. `continue` continues the innermost loop even from
 * inside a `switch`.
 */
export class Jumps {
  /** The flags that the function declares. */
  readonly flags: string[] = [];
  readonly #frames: JumpFrame[] = [];
  readonly #temporary: () => string;

  constructor(temporary: () => string) {
    this.#temporary = temporary;
  }

  /** Emits a construct with `write`, and then the code for jumps out of it. */
  construct(kind: JumpFrame['kind'], label: number | undefined, writer: Writer, write: () => void): void {
    const frame: JumpFrame = { kind, label, flag: undefined, passing: new Set() };
    this.#frames.push(frame);
    write();
    this.#frames.pop();
    if (frame.flag !== undefined) writer.line(`${frame.flag} = false;`);
    for (const flag of frame.passing) writer.line(`if (${flag}) { break; }`);
  }

  leave(writer: Writer, label: number): void {
    this.#to(
      writer,
      this.#frames.findLastIndex((frame) => frame.label === label),
    );
  }

  breakLoop(writer: Writer): void {
    this.#to(
      writer,
      this.#frames.findLastIndex((frame) => frame.kind === 'loop'),
    );
  }

  #to(writer: Writer, index: number): void {
    const frame = this.#frames[index];
    if (frame === undefined) throw new RangeError('A jump has no construct around it.');
    const crossed = this.#frames.slice(index + 1);
    if (crossed.length > 0) {
      if (frame.flag === undefined) {
        frame.flag = this.#temporary();
        this.flags.push(frame.flag);
      }
      for (const { passing } of crossed) passing.add(frame.flag);
      writer.line(`${frame.flag} = true;`);
    }
    writer.line('break;');
  }
}
