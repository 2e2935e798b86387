import type { MemoryOrder } from '@nccl-ts/core';
import {
  analyseKernel,
  bf16,
  bool,
  constantParam,
  coopParam,
  deviceFn,
  deviceSession,
  f32,
  form,
  intrinsic,
  kernel,
  orderParam,
  ptr,
  sessionState,
  structParam,
  u32,
  u64,
  vec,
  wordParam,
  type AuthorOf,
  type Coop,
  type CoopLike,
  type DeviceFn,
  type DevicePointerArg,
  type HostOf,
  type Kernel,
  type OptionsParam,
  type Ptr,
  type TypeFn,
} from '@nccl-ts/kernel';
import { describe, expect, expectTypeOf, it } from 'vitest';

/** The types of a launch of a kernel. */
declare function launch<Args>(of: Kernel<Args>, args: Args): void;
/** Never called: only the type checker reads its body. */
function typesOnly(_body: () => void): void {}

const scale = kernel(
  {
    name: 'scale',
    use: { FACTOR: 3, ORDER: 'acquire', T: f32, twice: deviceFn({ name: 'twice' }, (_c, x: number) => x * 2) },
    params: { p: ptr(f32), n: u32, big: u64, flag: bool, v: vec(f32, 4) },
  },
  ({ threadIdx, FACTOR, ORDER, T, twice }, { p, n, big, flag }) => {
    if (threadIdx.x < n && flag) p[threadIdx.x] = T(twice(FACTOR)) * T(big) + p.load(0, ORDER);
  },
);

describe('types of a kernel', () => {
  it('define the arguments of a launch', () => {
    expectTypeOf<HostOf<typeof scale>>().toEqualTypeOf<{
      readonly p: DevicePointerArg;
      readonly n: number;
      readonly big: number | bigint;
      readonly flag: boolean;
      readonly v: readonly (number | bigint)[];
    }>();
    typesOnly(() => {
      const p: DevicePointerArg = { kind: 'devicePointer', address: 0 };
      launch(scale, { p, n: 1, big: 2n, flag: true, v: [1, 2, 3, 4] });
      // @ts-expect-error v is missing
      launch(scale, { p, n: 1, big: 2n, flag: true });
      // @ts-expect-error n is a number
      launch(scale, { p, n: '1', big: 2n, flag: true, v: [] });
      // @ts-expect-error u32 takes no bigint
      launch(scale, { p, n: 1n, big: 2n, flag: true, v: [] });
      // @ts-expect-error there is no parameter m
      launch(scale, { p, n: 1, big: 2n, flag: true, v: [], m: 4 });
      // @ts-expect-error an address is no pointer
      launch(scale, { p: 4096, n: 1, big: 2n, flag: true, v: [] });
    });
    expect(analyseKernel(scale).ok).toBe(true);
  });

  it('define the names in a body', () => {
    kernel(
      {
        name: 'k',
        use: { N: 4, S: 'word', B: true, T: bf16, f: deviceFn({ name: 'f' }, (_c, a: number) => a > 1) },
        params: { p: ptr(f32), n: u32, flag: bool },
      },
      (context, params) => {
        expectTypeOf(context.N).toEqualTypeOf<number>();
        expectTypeOf(context.S).toEqualTypeOf<'word'>();
        expectTypeOf(context.B).toEqualTypeOf<boolean>();
        expectTypeOf(context.T).toEqualTypeOf<TypeFn>();
        expectTypeOf(context.f).toEqualTypeOf<(a: number) => boolean>();
        expectTypeOf(context.coopCta()).toEqualTypeOf<Coop>();
        expectTypeOf(params.p).toEqualTypeOf<Ptr>();
        expectTypeOf(params.n).toEqualTypeOf<number>();
      },
    );
    typesOnly(() => {
      // @ts-expect-error there is no such built-in
      kernel({ name: 'k' }, ({ treadIdx }) => void treadIdx);
      // @ts-expect-error there is no such parameter
      kernel({ name: 'k', params: { n: u32 } }, (_context, { m }) => void m);
      // @ts-expect-error a pointer has no such member
      kernel({ name: 'k', params: { p: ptr(f32) } }, (_context, { p }) => void p.lod);
      // @ts-expect-error an order is one of five words
      kernel({ name: 'k', params: { p: ptr(f32) } }, (_context, { p }) => void p.load(0, 'aquire'));
      // @ts-expect-error use passes no functions of the host
      kernel({ name: 'k', use: { f: (a: number) => a } }, () => undefined);
      // @ts-expect-error use passes no objects
      kernel({ name: 'k', use: { o: { a: 1 } } }, () => undefined);
      // @ts-expect-error a type is no parameter's type when it is a number
      kernel({ name: 'k', params: { n: 4 } }, () => undefined);
      // @ts-expect-error a kernel has a name
      kernel({}, () => undefined);
      // @ts-expect-error shfl takes two
      kernel({ name: 'k' }, ({ shfl }) => void shfl(1));
      // @ts-expect-error a session or group of the author has three members
      kernel({ name: 'k' }, ({ coopAny }) => void coopAny({ size: () => 1, sync: () => undefined }));
    });
  });

  it('allow generic kernels through plain functions', () => {
    const fill = (type: typeof f32 | typeof bf16) =>
      kernel({ name: 'fill', use: { T: type }, params: { p: ptr(type), n: u32 } }, ({ T, threadIdx }, { p, n }) => {
        p[threadIdx.x] = T(n);
      });
    for (const type of [f32, bf16]) expect(analyseKernel(fill(type)).ok).toBe(true);
    expectTypeOf<HostOf<ReturnType<typeof fill>>['n']>().toEqualTypeOf<number>();
  });

  it('of a device function are those of its body without the context parameter', () => {
    const f = deviceFn({ name: 'f', use: { K: 2 } }, ({ K }, p: Ptr, coop: CoopLike, at?: number) =>
      at === undefined ? coop.size() : p.load(at * K),
    );
    expectTypeOf(f).toEqualTypeOf<DeviceFn<(p: Ptr, coop: CoopLike, at?: number) => number>>();
    expectTypeOf<AuthorOf<typeof f>>().toEqualTypeOf<(p: Ptr, coop: CoopLike, at?: number) => number>();
  });

  it('of a device function may come from its annotation', () => {
    const f: DeviceFn<(p: Ptr, at?: number) => number> = deviceFn({ name: 'f', use: { K: 2 } }, ({ K }, p, at) => {
      expectTypeOf(p).toEqualTypeOf<Ptr>();
      expectTypeOf(at).toEqualTypeOf<number | undefined>();
      return at === undefined ? K : p.load(at);
    });
    expectTypeOf<AuthorOf<typeof f>>().toEqualTypeOf<(p: Ptr, at?: number) => number>();
    typesOnly(() => {
      // @ts-expect-error a pointer is no number
      const g: DeviceFn<(p: Ptr) => number> = deviceFn({ name: 'g' }, (_context, p) => p);
      expect(g.name).toBe('g');
    });
  });

  it('of an intrinsic are those of its parameters, by name', () => {
    interface Options {
      readonly width?: number;
      readonly order?: MemoryOrder;
    }
    const options: OptionsParam<Options> = { kind: 'options', members: { width: constantParam, order: orderParam } };
    const put: DeviceFn<(coop: CoopLike, to: Ptr, tag: 'a' | 'b', last?: number, options?: Options) => void> =
      intrinsic(
        {
          name: 'put',
          use: { K: 2 },
          params: {
            coop: coopParam,
            to: ptr(u32),
            tag: wordParam(['a', 'b']),
            'last?': u64,
            'options?': options,
          },
        },
        ({ K }, call) => {
          expectTypeOf(K).toEqualTypeOf<number>();
          expectTypeOf(call.coop).toEqualTypeOf<Coop>();
          expectTypeOf(call.to).toEqualTypeOf<Ptr>();
          expectTypeOf(call.tag).toEqualTypeOf<'a' | 'b'>();
          expectTypeOf(call.last).toEqualTypeOf<number | undefined>();
          expectTypeOf(call.options.width).toEqualTypeOf<number | undefined>();
          expectTypeOf(call.options.order).toEqualTypeOf<MemoryOrder | undefined>();
        },
      );
    typesOnly(() => {
      // @ts-expect-error there is no such parameter
      intrinsic({ name: 'f', params: { n: u32 } }, (_context, { m }) => m);
      // @ts-expect-error an option is missing
      const fewer: OptionsParam<Options> = { kind: 'options', members: { width: constantParam } };
      kernel({ name: 'k', use: { put, fewer: 1 }, params: { p: ptr(u32) } }, ({ put, coopCta }, { p }) => {
        put(coopCta(), p, 'a', 3, { width: 4 });
        // @ts-expect-error the tag is a or b
        put(coopCta(), p, 'c');
        // @ts-expect-error there is no such option
        put(coopCta(), p, 'a', 3, { depth: 4 });
        // @ts-expect-error a number is no group
        put(1, p, 'a');
      });
      expect(fewer.kind).toBe('options');
    });
  });

  it('of a form are those that the author passes', () => {
    interface Options {
      readonly width?: number;
    }
    const options: OptionsParam<Options> = { kind: 'options', members: { width: constantParam } };
    const one = form({ name: 'one', params: { to: ptr(u32), 'options?': options } }, (_context, call) => {
      expectTypeOf(call.to).toEqualTypeOf<Ptr>();
      expectTypeOf(call.options).toEqualTypeOf<Options | undefined>();
    });
    expect(Object.keys(one.params)).toEqual(['to', 'options?']);
  });

  it('of a session are its state, its own methods, and the parameters by name', () => {
    interface State {
      to: Ptr;
      turns: number;
    }
    interface Session {
      turn(by: number): number;
      twice(by: number): void;
    }
    const open: DeviceFn<(to: Ptr) => Session> = deviceSession({
      name: 'open',
      use: { K: 2 },
      state: sessionState<State>({ to: 'fixed', turns: u32 }),
      params: { to: ptr(u32) },
      ctor: ({ K }, self, { to }) => {
        self.to = to;
        self.turns = K;
      },
      methods: {
        turn: {
          params: { by: u32 },
          body: ({ K }, self, call) => {
            expectTypeOf(self).toEqualTypeOf<State>();
            expectTypeOf(call.by).toEqualTypeOf<number>();
            self.turns += K * call.by;
            return self.turns;
          },
        },
        twice: {
          composed: true,
          params: { by: u32 },
          body: (_context, session, { by }) => {
            expectTypeOf(session).toEqualTypeOf<Session>();
            session.turn(by);
            session.turn(by);
          },
        },
      },
      dtor: ({ K }, self) => {
        self.to[0] = self.turns + K;
      },
    });
    typesOnly(() => {
      // @ts-expect-error the state has no such member
      sessionState<State>({ to: 'fixed', turns: u32, other: u32 });
      // @ts-expect-error a member of the state is missing
      sessionState<State>({ to: 'fixed' });
      kernel({ name: 'k', use: { open }, params: { p: ptr(u32) } }, ({ open }, { p }) => {
        const session = open(p);
        session.twice(session.turn(1));
      });
      // @ts-expect-error a session has no such method
      kernel({ name: 'k', use: { open }, params: { p: ptr(u32) } }, ({ open }, { p }) => void open(p).thrice);
    });
  });

  it('of a struct are one type in the body', () => {
    const Pair = structParam<{ readonly a: number; readonly b: number }, { readonly a: number; readonly b: number }>({
      struct: 'Pair',
      fields: { a: u32, b: u32 },
    });
    const made = kernel({ name: 'k', use: { Pair }, params: { pair: Pair, p: ptr(u32) } }, ({ Pair }, { pair, p }) => {
      const swapped = Pair({ a: pair.b, b: pair.a });
      expectTypeOf(swapped.a).toEqualTypeOf<number>();
      p[swapped.a] = swapped.b;
    });
    expectTypeOf<HostOf<typeof made>['pair']>().toEqualTypeOf<{ readonly a: number; readonly b: number }>();
    typesOnly(() => {
      // @ts-expect-error b is missing
      kernel({ name: 'k', use: { Pair } }, ({ Pair }) => void Pair({ a: 1 }));
    });
  });

  it('allow a kernel without use or params', () => {
    const empty = kernel({ name: 'empty' }, ({ coopCta }) => coopCta().sync());
    typesOnly(() => {
      launch(empty, {});
    });
    expect(analyseKernel(empty).ok).toBe(true);
  });
});
