import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import {
  binary,
  constant,
  convert,
  lane,
  local,
  pointerType,
  scalarType,
  vectorType,
  type Expression,
  type LocalId,
  type Type,
} from '@nccl-ts/ir';
import type { AddressRoles } from './address-roles.ts';
import { bytesAt, type ModuleBuilder } from './module-builder.ts';
import type { OffsetForm } from './offsets.ts';
import { offsetAsU64, type Offset } from './pointer-arithmetic.ts';
import type { RegisterKind } from './register-kinds.ts';
import { bitsAs, signedOf } from './scalar-bits.ts';

/**
 * Generic addresses of shared and local memory have the space in the top byte, and the offset below
 * it.
 */
export const genericTag: Readonly<Record<'shared' | 'local', bigint>> = { shared: 1n << 56n, local: 2n << 56n };

const localTypes: Readonly<Record<RegisterKind, Type>> = {
  bool: scalarType('bool'),
  u16: scalarType('u16'),
  u32: scalarType('u32'),
  f32: scalarType('f32'),
  u64: scalarType('u64'),
  f64: scalarType('f64'),
  b128: vectorType('u32', 4),
};

const bytePointer = pointerType(scalarType('u8'), 'global');

/**
 * The registers of an entry. It has their locals, and their values in the type that an instruction
 * requires.
 */
export class Registers {
  readonly roles: AddressRoles;
  readonly #kinds: ReadonlyMap<string, RegisterKind>;
  readonly #forms: ReadonlyMap<string, OffsetForm>;
  readonly #builder: ModuleBuilder;
  readonly #locals = new Map<string, LocalId>();
  readonly #terms = new Map<string, readonly LocalId[]>();

  constructor(
    builder: ModuleBuilder,
    kinds: ReadonlyMap<string, RegisterKind>,
    roles: AddressRoles,
    forms: ReadonlyMap<string, OffsetForm>,
  ) {
    this.#builder = builder;
    this.#kinds = kinds;
    this.roles = roles;
    this.#forms = forms;
  }

  kind(name: string): RegisterKind | undefined {
    return this.#kinds.get(name);
  }

  form(name: string): OffsetForm | undefined {
    return this.#forms.get(name);
  }

  /** The size of the register in bytes. */
  bytes(name: string): number {
    switch (this.#kinds.get(name)) {
      case 'bool':
        return 1;
      case 'u16':
        return 2;
      case 'u64':
      case 'f64':
        return 8;
      case 'b128':
        return 16;
      default:
        return 4;
    }
  }

  /** The local of the register. */
  local(name: string): Expression {
    const type = this.#typeOf(name);
    let id = this.#locals.get(name);
    if (id === undefined) {
      id = this.#builder.local(name, type);
      this.#locals.set(name, id);
    }
    return local(id, type);
  }

  localId(name: string): LocalId {
    const of = this.local(name);
    return of.kind === 'local' ? of.local : -1;
  }

  #typeOf(name: string): Type {
    const kind = this.#kinds.get(name) ?? 'u32';
    if (kind !== 'u64') return localTypes[kind];
    const role = this.roles.of(name);
    return role.kind === 'pointer' ? bytePointer : scalarType(role.kind === 'narrow' ? 'u32' : 'u64');
  }

  /** The locals for the terms of a register with an offset formula. */
  terms(name: string, form: OffsetForm): readonly LocalId[] {
    const known = this.#terms.get(name);
    if (known !== undefined) return known;
    const made = form.terms.map((term) => {
      const scalar = this.#termScalar(term);
      return this.#builder.local(name, scalarType(scalar));
    });
    this.#terms.set(name, made);
    return made;
  }

  #termScalar(term: OffsetForm['terms'][number]): ScalarKind {
    switch (term.kind) {
      case 'operand':
        return term.scalar.startsWith('i') ? 'i32' : 'u32';
      case 'product':
        return 'i64';
      case 'copy': {
        const form = this.#forms.get(term.register);
        const of = form?.terms[term.index];
        return of === undefined ? 'i64' : this.#termScalar(of);
      }
    }
  }

  /** The value of term number `index` of a register. */
  term(name: string, index: number): Expression {
    const form = this.#forms.get(name);
    const id = form === undefined ? undefined : this.terms(name, form)[index];
    const declared = id === undefined ? undefined : this.#builder.locals[id];
    return id === undefined || declared === undefined ? constant('i32', 0) : local(id, declared.type);
  }

  /** The register as an offset for an address. */
  offset(name: string): Offset {
    const form = this.#forms.get(name);
    if (form === undefined) {
      return { terms: [{ value: convert(scalarType('i64'), this.read(name, 'u64')), scale: 1n }], constant: 0n };
    }
    return {
      terms: form.terms.map(({ scale }, index) => ({ value: this.term(name, index), scale })),
      constant: form.constant,
    };
  }

  /** The register's low bits as a `scalar`. */
  read(name: string, scalar: ScalarKind): Expression {
    if (this.#forms.has(name)) return bitsAs(offsetAsU64(this.offset(name)), scalar);
    const value = this.local(name);
    const role = this.#kinds.get(name) === 'u64' ? this.roles.of(name) : undefined;
    if (role?.kind === 'pointer') return bitsAs(convert(scalarType('u64'), value), scalar);
    if (role?.kind === 'narrow') {
      const wide = convert(scalarType('u64'), value);
      const tagged = role.isGeneric ? binary('or', wide, constant('u64', genericTag[role.space])) : wide;
      return bitsAs(tagged, scalar);
    }
    if (value.type.kind === 'vector') return bitsAs(lane(value, constant('u32', 0)), scalar);
    return bitsAs(value, scalar);
  }

  /** Converts `value`, a scalar or a pointer to bytes, to the type of the register's local. */
  stored(name: string, value: Expression): Expression {
    const type = this.#typeOf(name);
    if (type.kind === 'pointer') {
      return value.type.kind === 'pointer' ? value : bytesAt(bitsAs(value, 'u64'));
    }
    if (value.type.kind === 'pointer') {
      return bitsAs(convert(scalarType('u64'), value), type.kind === 'scalar' ? type.scalar : 'u64');
    }
    if (type.kind !== 'scalar' || type.scalar === 'bool' || value.type.kind !== 'scalar') return value;
    const { scalar } = value.type;
    const info = scalarInfo[scalar];
    // A signed number is sign-extended.
    const isWidened = info.class === 'int' && info.signed && info.bytes < scalarInfo[type.scalar].bytes;
    if (!isWidened) return bitsAs(value, type.scalar);
    return bitsAs(convert(scalarType(signedOf(scalarInfo[type.scalar].bytes)), value), type.scalar);
  }
}
