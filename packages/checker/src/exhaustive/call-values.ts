import type { CallStatement } from '@nccl-ts/ir';
import { at } from '@nccl-ts/core';
import { known } from '@nccl-ts/memory-model';
import type { PointerValue } from '@nccl-ts/backend-sim/internal';
import type { DevCommValue, WindowValue } from '@nccl-ts/codegen';
import { isElements, isPointer, type LaterValue } from './element.ts';
import { Unsupported } from './thread-fault.ts';

/**
 * The words and values of a call without a body, all known, in the order of the primitive's
 * parameters.
 */
export class CallValues {
  readonly #words: readonly string[];
  readonly #values: readonly LaterValue[];
  #word = 0;
  #value = 0;

  constructor({ statics }: CallStatement, values: readonly LaterValue[]) {
    this.#words = statics.flatMap((given) => (given.kind === 'word' ? [given.word] : []));
    this.#values = values;
  }

  word<const T extends string>(allowed: readonly T[]): T {
    const given = this.#words[this.#word++];
    const word = allowed.find((each) => each === given);
    if (word === undefined) throw new Unsupported(`the word ${given} of a request`);
    return word;
  }

  number(): number {
    return Number(this.#scalar());
  }

  wide(): bigint {
    return BigInt(this.#scalar());
  }

  window(): WindowValue {
    const value = this.#next();
    if (value === undefined || isElements(value) || !('bases' in value))
      throw new Unsupported('a request without a window');
    return value;
  }

  devComm(): DevCommValue {
    const value = this.#next();
    if (value === undefined || isElements(value) || !('windows' in value))
      throw new Unsupported('a request without a communicator');
    return value;
  }

  pointer(): PointerValue {
    const value = this.#next();
    if (value === undefined || !isPointer(value)) throw new Unsupported('a request without a pointer');
    return value;
  }

  #scalar(): number | bigint | boolean {
    const value = this.#next();
    if (value === undefined || !isElements(value)) throw new Unsupported('a request without a number');
    return known(at(value, 0));
  }

  #next(): LaterValue | undefined {
    return this.#values[this.#value++];
  }
}
