import {
  addr,
  bf16,
  bool,
  deviceFn,
  deviceModule,
  deviceSession,
  e4m3,
  f16,
  f32,
  f64,
  handleParam,
  i32,
  i64,
  intrinsic,
  ptr,
  structParam,
  u32,
  u64,
  u8,
  vec,
  windowPointer,
  type DeviceModule,
  type ParamTypes,
  type Use,
  type DeviceFn,
} from '@nccl-ts/kernel';
import { bodyOf } from './body-of.ts';

const win = handleParam<{ readonly lsaRank: number }, never>({
  handle: 'Window',
  fields: { lsaRank: i32, bytes: addr },
});
const half = structParam<{ readonly nRanks: number; readonly rank: number }, never>({
  struct: 'Half',
  fields: { nRanks: i32, rank: i32 },
  types: { T: f32 },
  methods: { next: deviceFn({ name: 'next' }, bodyOf('({}, self) => (self.rank + 1) % self.nRanks') as never) },
});
const comm = handleParam<object, never>({
  handle: 'Comm',
  fields: { rank: i32, size: i32, multimem: bool, resource: win, lsa: half },
});

/** Every kind of parameter. */
export const seedParams: ParamTypes = {
  p: ptr(f32),
  q: ptr(u32),
  h: ptr(bf16),
  b8: ptr(u8),
  n: u32,
  i: i32,
  l: u64,
  j: i64,
  x: f32,
  y: f16,
  d: f64,
  e: e4m3,
  flag: bool,
  at: addr,
  v: vec(f32, 4),
  w: vec(bf16, 8),
  win,
  comm,
  half,
};

const pointerOf: DeviceFn<(win: object, at: number, peer: number) => object> = intrinsic(
  {
    name: 'mod.pointer',
    pure: true,
    use: { windowPointer },
    params: { win, type: { kind: 'type' }, at: addr, peer: i32 },
  },
  bodyOf('({ windowPointer }, { win, type, at, peer }) => windowPointer(win, type, at, peer)'),
);

const barrier = deviceSession({
  name: 'mod.barrier',
  use: { pointerOf },
  state: { comm: 'fixed', coop: 'fixed', index: 'fixed', epoch: u32 },
  params: {
    coop: { kind: 'coop' },
    comm,
    index: u32,
    'options?': { kind: 'options', members: { deep: { kind: 'constant' } } },
  },
  ctor: bodyOf(`({ pointerOf, u32 }, self, { coop, comm, index, options }) => {
    self.coop = coop;
    self.comm = comm;
    self.index = index;
    self.epoch = pointerOf(comm.resource, u32, 0, comm.rank).load(index);
    if (options.deep) self.epoch += 1;
  }`),
  methods: {
    sync: {
      params: {
        coop: { kind: 'coop' },
        order: { kind: 'word', words: ['relaxed', 'acquire', 'release'] },
        'timeout?': u64,
      },
      body: bodyOf(`({ pointerOf, u32, clock }, self, { coop, order, timeout }) => {
        coop.sync();
        const flags = pointerOf(self.comm.resource, u32, 128, self.comm.rank);
        if (coop.threadRank() === 0) flags.store(self.index, self.epoch + 1, order === 'release' ? 'release' : 'relaxed');
        if (timeout !== undefined) return u32(clock() - timeout);
        coop.waitAll(self.comm.size, (i) => flags.load(i, 'acquire') - (self.epoch + 1) <= 0x7fffffff);
        self.epoch += 1;
        return undefined;
      }`),
    },
  },
  dtor: bodyOf(`({ pointerOf, u32 }, self) => {
    if (self.coop.threadRank() === 0) pointerOf(self.comm.resource, u32, 0, self.comm.rank).store(self.index, self.epoch);
    self.coop.sync();
  }`),
});

const reduce = deviceFn(
  { name: 'reduce' },
  bodyOf(`({ f32 }, source, T, count) => {
    let sum = T(0);
    for (let r = 0; r < count; r++) sum += source(r);
    if (count > 8) return sum / T(2);
    return sum;
  }`) as never,
);

const mod: DeviceModule<object> = deviceModule('mod', { barrier, pointer: pointerOf, reduce, LIMIT: 16 });

/** Constants, types, functions and modules. */
export const seedUse: Use = { mod, reduce, Half: half, T: f32, TILE: 4, HUGE: 2n ** 40n, ON: true, ORDER: 'acquire' };

/** Kernels that between them use every statement, operator and built-in. */
export const seedKernels: readonly string[] = [
  `({ threadIdx, blockIdx, blockDim, gridDim }, { p, n, x }) => {
    const first = threadIdx.x + blockDim.x * blockIdx.x;
    const step = blockDim.x * gridDim.x;
    for (let o = first; o < n; o += step) { p[o] = p[o] * x + 1; }
  }`,
  `({ f32, f64, i32, u8, bool }, { p, q, i, n, x, d, flag }) => {
    let a = i, b = -1, c;
    a += n; a -= 2; a *= 3; a /= 4; a %= 5; a &= 7; a |= 8; a ^= 9; a <<= 1; a >>= 2;
    c = a > 3 ? f32(a) : x;
    const m = !flag || (a === b && n != 4);
    q[a] = u8(300 - 100) + i32(m);
    p.store(1, f32(d) + c);
    if (bool(a)) q[0] = n << 3 >> 1; else if (~a < 4) q[1]++; else --q[2];
  }`,
  `({ waitUntil, fence, fenceProxy, coopCta, coopWarp, coopTile, coopThread }, { q, n }) => {
    const cta = coopCta(), warp = coopWarp(), tile = coopTile(8);
    cta.sync();
    waitUntil(() => q.load(0, 'acquire', 'device') === n);
    cta.waitAll(n, (i) => q.load(i, 'relaxed') > 0);
    fence('acq_rel'); fence('release', 'block'); fenceProxy('alias');
    q[1] = warp.bcast(q[2], 3) + tile.size() * tile.threadRank() + coopThread().size();
    if (warp.any(q[3] > 1) && cta.all(n > 2)) tile.sync();
  }`,
  `({ coopLanes, coopWarpSpan, coopCoalesced, coopAny, shfl, shflUp, shflDown, shflXor, ballot, any, all, laneId, warpSize }, { q, n, x, p }) => {
    const lanes = coopLanes(0xff), span = coopWarpSpan(0, 2, 1), co = coopCoalesced();
    coopAny(lanes).sync(); span.sync(); co.sync();
    q[0] = shfl(n, 2) + shflUp(n, 1) + shflDown(n, 1) + shflXor(n, 4) + ballot(n > 3) + laneId + warpSize;
    p[0] = shfl(x, 0);
    if (any(n > 1) || all(n === 0)) q[1] = 1;
  }`,
  `({ math, min, max, abs, fma, popcount, clz, ctz, f32, i32 }, { p, q, x, d, i, n, j }) => {
    p[0] = math.sqrt(x) + math.rsqrt(x) + math.exp(x) + math.exp2(x) + math.log(x) + math.log2(x);
    p[1] = math.sin(x) * math.cos(x) - math.tanh(x) / math.pow(x, 2) + math.floor(x) + math.ceil(x) + math.trunc(x) + math.round(x);
    p[2] = fma(x, 2, x) + min(x, 1) + max(0.5, x) + abs(-x) + f32(abs(i)) + f32(min(d, 3));
    q[0] = popcount(n) + clz(n) + ctz(n) + max(n, 3);
    q[1] = min(n, 4) % 3;
  }`,
  `({ vec, lane, withLane, bitcast, f32, u32, bf16, f16, localArray, sharedArray, coopCta }, { p, h, q, v, w, x, n }) => {
    const f4 = vec(f32, 4);
    let s = f4(0);
    const wide = p.cast(f4), shared = sharedArray(f32, 64), own = localArray(u32, 4);
    s = s + wide[n] * v - f4(1, 2, 3, x);
    s += x;
    wide[0] = withLane(s, 2, lane(v, n));
    h.cast(vec(bf16, 8))[1] = w;
    own[3] = bitcast(u32, lane(s, 0));
    shared[n] = x; coopCta().sync();
    q[0] = own[3] + u32(shared[63 - n]);
    p[1] = f32(f16(x)) + lane(-s, 1);
  }`,
  `({ u32, addr }, { q, l, at, n, j }) => {
    q.atomicAdd(0, 1); q.atomicSub(1, n, 'relaxed'); q.atomicMin(2, 3, 'acquire', 'block'); q.atomicMax(3, 4);
    const old = q.atomicAnd(4, 0xf) | q.atomicOr(5, 1) ^ q.atomicXor(6, 2);
    q[7] = q.atomicExch(8, old) + q.atomicCas(9, 0, 1, 'acq_rel', 'device');
    const far = q.offset(4).offset(-1);
    far[l] = u32(l) + u32(at + 4); far.store(at, 1, 'release');
    far[j] = 5;
  }`,
  `({ unroll, TILE, HUGE, ON, ORDER, T, f32, u32 }, { p, q, n, x }) => {
    for (const k of unroll(TILE)) { if (k === 1) continue; if (k === 3) break; if (n > k) continue; p[k] = x; }
    if (ON) q[0] = u32(HUGE >> 20n); else q[0] = n.x;
    if (T === f32) p[5] = T(1.5);
    q[1] = q.load(2, ORDER);
  }`,
  `({ mod, coopCta, blockIdx }, { comm, q, n }) => {
    const bar = mod.barrier(coopCta(), comm, blockIdx.x, { deep: true });
    bar.sync(coopCta(), 'acquire');
    for (let r = 0; r < n; r++) {
      const inner = mod.barrier(coopCta(), comm, 1);
      if (r === 5) continue;
      if (r > 9) break;
      inner.sync(coopCta(), 'relaxed');
    }
    if (n === 3) return;
    q[0] = bar.sync(coopCta(), 'release', 100);
  }`,
  `({ mod, reduce, f32, i32 }, { p, win, comm, x, n }) => {
    const base = mod.pointer(win, f32, 128, comm.rank);
    p[0] = reduce((r) => base[r] * x, f32, 4) + reduce((r) => mod.pointer(win, f32, 0, r)[n], f32, comm.size);
    const f = (a, b) => { if (a > b) return a; if (a < 0) { return 0; } return b; };
    p[1] = f(x, p[2]); p[3] = f32(f(comm.rank, i32(n)));
    mod.pointer(comm.resource, f32, mod.LIMIT, win.lsaRank).store(0, x);
  }`,
  `({ Half, i32, coopAny }, { comm, half, q, n }) => {
    let team = Half({ nRanks: comm.size, rank: comm.rank, T: half.T });
    const { nRanks, rank: me } = team;
    if (me > 1) team = half;
    team = Half({ nRanks: team.rank, rank: team.nRanks, T: half.T });
    q[0] = i32(team.next() + nRanks) + comm.lsa.rank;
    const coop = { threadRank: () => 0, size: () => 1, sync: () => {} };
    coopAny(coop).sync();
    coop.waitAll(n, (i) => q.load(i, 'acquire') !== 0);
  }`,
  `({}, { q, n }) => {
    let v = 0, u;
    while (q.load(0, 'acquire') !== 1);
    do { v = q[1]; } while (v < n);
    for (;;) { u = q.load(2); if (u === 3) break; }
    for (; !(q[3] > 1); ) v++;
    while (v !== 7) v = q.load(4, 'relaxed');
    q[5] = v + u;
  }`,
  `({ print, assert, clock, u64 }, { q, n, x, l }) => {
    const start = clock();
    print('thread', n, x, 'of', q[0] > 1, 4);
    assert(n < 100, 'n is small'); assert(n);
    if (clock() - start > l) return;
    { let n = 5; { const n = q[1]; q[2] = n; } q[3] = n; }
    var z = n; var z = 4; q[4] = z, q[5] = (q[6] = 1, q[7]);
  }`,
  // As minifiers leave it.
  `({threadIdx:e,coopCta:t,f32:n},{p:r,n:o,q:a,flag:s})=>{let i=e.x;for(t().sync();i<o;i+=32){let e=n(0);for(let t=0;t<4;t++)e+=r[i+t];i>4&&(r[i]=e),s||(r[i+1]=-e),0===i?a[0]=1:a[1]=!0}return s?void a.atomicAdd(0,1):(a[2]=1<<31,void 0)}`,
  `(e,{p:t,n:r})=>{var n,o=e.threadIdx.x;if(!(o>=r)){for(n=o;!(n>=r);)t[n]=.5*e.f32(1&n),n+=e.blockDim.x;o||e.print("done")}}`,
  `function kernel({ i32, f16, e4m3 }, { y, e, x, h, b8, p }) { const z = e + y; let k = e4m3(1.5); k = e4m3(x); h[0] = h[1] + h[2]; b8[0] += 3; b8[1]--; p[0] = z > 1 ? -z : +y; }`,
  `({ i32, i64, u64 }, { i, j, l, q, d }) => { const k = j * -2n + i64(i); q[0] = l > 5n ? 1 : 0; q[1] = i32(k % 7) + i32(d); let t = l; t++; t -= 1n; q[2] = t === l; }`,
  `({ f32 }, { p, n, flag, x }) => { const g = function (a) { for (let i = 0; i < n; i++) { if (p[i] > a) return i; if (p[i] < 0) { if (flag) return 5; } } return n; }; function two(a) { return g(a) * 2; } p[0] = f32(two(x)) + f32(g(1)); }`,
  `({ f32, u32 }, { p, q, n, flag }) => { let i = 0; p[i++] = f32(q[i++]) + f32(q[--i]); const o = { a: i, b: (c) => c + i }; i += 2; q[o.a] = o.b(i); q[i = 3] = i; flag && (i = 5) && q[i]++; q[0] = flag ? i++ : (i--, i); }`,
  `({ coopCta, waitUntil, clock }, { comm, q, n, half, flag }) => { const t = half.nRanks > 1 ? half.rank : comm.rank; const go = () => waitUntil(() => { const s = q.load(0, 'acquire'); if (s === 4) return true; return s > n || clock() > 100; }); if (flag) { go(); coopCta().sync(); } else go(); q[1] = t; }`,
];
