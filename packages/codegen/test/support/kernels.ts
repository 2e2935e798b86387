/** Kernels in IR text whose emitted JavaScript is a snapshot, and that tests run. */

const barrier = (epoch: string, index: string, got: string): string => `
  sync cta
  if (threadIdx.x < u32($0.lsaSize:i32)) {
    store (window(u32, $1, i32(threadIdx.x), 4096:addr) +> ((blockIdx.x * u32($0.lsaSize:i32)) + u32($0.lsaRank:i32))), ${epoch} release.system
  }
  waitAll cta ${index} < u32($0.lsaSize:i32) {
    ${got} = load (window(u32, $1, $0.lsaRank:i32, 4096:addr) +> ((blockIdx.x * u32($0.lsaSize:i32)) + ${index})) acquire.system
  } until ((${got} - ${epoch}) <= 2147483647:u32)`;

/** Works in place, over the first `$2` elements of the window. */
export const allReduce: string = `
kernel inPlaceAllReduce
param $0 comm: DevComm
param $1 win: Window
param $2 count: u32
local %0 nRanks: i32
local %1 globalTid: u32
local %2 globalNthreads: u32
local %3 o: u32
local %4 v: f32
local %5 peer: i32
local %6 m: f32
local %7 i: u32
local %8 got: u32
local %9 epoch: u32
{
  %9 = 1:u32
${barrier('%9', '%7', '%8')}
  %0 = $0.lsaSize:i32
  %1 = (threadIdx.x + (blockDim.x * (u32($0.lsaRank:i32) + (blockIdx.x * u32(%0)))))
  %2 = ((blockDim.x * gridDim.x) * u32(%0))
  %3 = %1
  loop while (%3 < $2) {
    %4 = 0:f32
    %5 = 0:i32
    loop while (%5 < %0) {
      %6 = load (window(f32, $1, %5, 0:addr) +> %3)
      %4 = (%4 + %6)
    } update {
      %5 = (%5 + 1:i32)
    }
    %5 = 0:i32
    loop while (%5 < %0) {
      store (window(f32, $1, %5, 0:addr) +> %3), %4
    } update {
      %5 = (%5 + 1:i32)
    }
  } update {
    %3 = (%3 + %2)
  }
  %9 = (%9 + 1:u32)
${barrier('%9', '%7', '%8')}
  sync cta
}`;

/**
 * Sums one value of every thread with shuffles, and then through shared memory. Every thread stores
 * the result.
 */
export const blockSum: string = `
kernel blockSum
param $0 comm: DevComm
param $1 win: Window
array #0 partial: shared u32[32]
local %0 sum: u32
local %1 other: u32
local %2 step: u32
local %3 w: u32
{
  %0 = (threadIdx.x + 1:u32)
  %2 = 16:u32
  loop while (%2 > 0:u32) {
    %1 = collective shflDown tile(32) value %0 lane %2
    %0 = (%0 + %1)
  } update {
    %2 = (%2 >> 1:u32)
  }
  if (laneId == 0:u32) {
    store (#0 +> (threadIdx.x / 32:u32)), %0
  }
  sync cta
  %0 = 0:u32
  %3 = 0:u32
  loop while (%3 < (blockDim.x / 32:u32)) {
    %1 = load (#0 +> %3)
    %0 = (%0 + %1)
  } update {
    %3 = (%3 + 1:u32)
  }
  store (window(u32, $1, $0.lsaRank:i32, 0:addr) +> threadIdx.x), %0
}`;

/**
 * Only thread 0 waits for a word of the next rank. The others continue when it synchronizes with
 * them.
 */
export const divergentWait: string = `
kernel divergentWait
param $0 comm: DevComm
param $1 win: Window
local %0 got: u32
{
  store (window(u32, $1, (($0.lsaRank:i32 + 1:i32) % $0.lsaSize:i32), 64:addr) +> 0:u32), 5:u32 release.system
  if (threadIdx.x == 0:u32) {
    wait {
      %0 = load (window(u32, $1, $0.lsaRank:i32, 64:addr) +> 0:u32) acquire.system
    } until (%0 >= 5:u32)
  }
  sync cta
  store (window(u32, $1, $0.lsaRank:i32, 128:addr) +> threadIdx.x), (threadIdx.x + 1:u32)
}`;

/** Every thread takes a ticket, and polls until its turn has come. */
export const ticketLock: string = `
kernel ticketLock
param $0 comm: DevComm
param $1 win: Window
local %0 ticket: u32
local %1 now: u32
local %2 sum: u32
{
  %0 = atomic add (window(u32, $1, $0.lsaRank:i32, 0:addr) +> 0:u32), 1:u32 relaxed.device
  loop {
    %1 = load (window(u32, $1, $0.lsaRank:i32, 4:addr) +> 0:u32) acquire.device
    if (%1 == %0) {
      break
    }
  }
  %2 = load (window(u32, $1, $0.lsaRank:i32, 8:addr) +> 0:u32)
  store (window(u32, $1, $0.lsaRank:i32, 8:addr) +> 0:u32), ((%2 * 3:u32) + threadIdx.x)
  atomic add (window(u32, $1, $0.lsaRank:i32, 4:addr) +> 0:u32), 1:u32 release.device
}`;

/** Names and strings that would be code if any of them were in the text. */
export const hostile: string = `
kernel "x; throw 1 //"
param $0 "comm\`\${evil}": DevComm
param $1 "*/ throw": Window
local %0 "a'; globalThis.pwned = 1; '": u32
local %1 constructor: u32
local %2 return: vec(f32, 4)
{
  %0 = threadIdx.x
  %1 = load (window(u32, $1, $0.lsaRank:i32, 0:addr) +> %0)
  %2 = vec(f32, 4)[f32(%1)]
  assert (%1 < 100:u32), "\\"); globalThis.pwned = 1; (\\""
  print("\`\${globalThis.pwned = 1}", %1, %2)
  store (window(vec(f32, 4), $1, $0.lsaRank:i32, 1024:addr) +> %0), (%2 + %2)
}`;
