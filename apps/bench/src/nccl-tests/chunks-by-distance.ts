/**
 * The number of elements that each rank sends to the rank `distance` further on, of `total`
 * elements. With a spread of 1 it is proportional to the distance, so a rank sends nothing to
 * itself. With 0 it is the same for all, and in between it is a mixture. Chunks are multiples of 16
 * bytes (`align` elements), and the rest is not sent. nccl-tests 2.19.6 does the same without a
 * matrix.
 */
export function chunksByDistance(total: number, nRanks: number, align: number, spread: number): readonly number[] {
  const distances = (nRanks * (nRanks - 1)) / 2;
  return Array.from({ length: nRanks }, (_, distance) => {
    const chunk = distances === 0 ? total : (1 - spread) * (total / nRanks) + spread * ((distance * total) / distances);
    return Math.floor(chunk / align) * align;
  });
}
