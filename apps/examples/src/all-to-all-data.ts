/** The chunks that a rank sends, different in every round. */
export function sentChunks(rank: number, nRanks: number, count: number, round: number): Float32Array {
  return new Float32Array(nRanks * count).map((_, i) => elementOf(rank, Math.floor(i / count), i % count, round));
}

/** The data that a rank has received after all have sent. Chunk r is from rank r. */
export function receivedChunks(rank: number, nRanks: number, count: number, round: number): Float32Array {
  return new Float32Array(nRanks * count).map((_, i) => elementOf(Math.floor(i / count), rank, i % count, round));
}

/**
 * Integers that are exact as floats. They encode sender, receiver, element and round, for up to 32
 * ranks and 64 rounds.
 */
function elementOf(from: number, to: number, index: number, round: number): number {
  return ((round * 32 + from) * 32 + to) * 256 + (index % 256);
}
