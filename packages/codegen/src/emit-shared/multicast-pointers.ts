import { walkBody, type Body, type Expression, type LocalId } from '@nccl-ts/ir';

/** The pointers that come from multicast addresses, as far as the text shows. */
export class MulticastPointers {
  readonly #locals = new Set<LocalId>();

  constructor(body: Body) {
    // Locals are assigned from other locals, so each one that is found may lead to more.
    for (let before = -1; before !== this.#locals.size;) {
      before = this.#locals.size;
      walkBody(body, {
        statement: (s) => {
          if (s.kind === 'assign' && s.value.type.kind === 'pointer' && this.reaches(s.value))
            this.#locals.add(s.local);
        },
      });
    }
  }

  /** True if a pointer is, or may be copied from, a multicast address. */
  reaches(pointer: Expression): boolean {
    switch (pointer.kind) {
      case 'unicastPointer':
      case 'multicastPointer':
        return true;
      case 'local':
        return this.#locals.has(pointer.local);
      case 'pointerOffset':
      case 'pointerCast':
        return this.reaches(pointer.pointer);
      case 'select':
        return this.reaches(pointer.then) || this.reaches(pointer.else);
      case 'intrinsic':
        return this.reaches(pointer.expansion);
      case 'constant':
      case 'param':
      case 'array':
      case 'builtin':
      case 'field':
      case 'unary':
      case 'binary':
      case 'compare':
      case 'logical':
      case 'convert':
      case 'bitcast':
      case 'math':
      case 'vector':
      case 'lane':
      case 'withLane':
      case 'windowPointer':
      case 'addressPointer':
      case 'multicastSize':
      case 'clusterPointer':
        return false;
    }
  }
}
