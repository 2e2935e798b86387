/**
 * How many of `total` elements each rank sends to the rank `distance` places further on, itself
 * included: with a spread of 1 in proportion to the distance, so that it sends itself nothing; with
 * 0 to all the same; in between, a mixture. Chunks are whole 16 bytes (`align` elements), and what
 * is left over is not sent. As nccl-tests 2.19.6 does where it is given no matrix.
 */
export function chunksByDistance(total: number, nRanks: number, align: number, spread: number): readonly number[] {
  const distances = (nRanks * (nRanks - 1)) / 2;
  return Array.from({ length: nRanks }, (_, distance) => {
    const chunk = distances === 0 ? total : (1 - spread) * (total / nRanks) + spread * ((distance * total) / distances);
    return Math.floor(chunk / align) * align;
  });
}
