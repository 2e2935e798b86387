/** The number of rows for peers in a table in the frame, besides the first row. */
export const MOST_PEERS = 127;

/** The columns of a row. The first row belongs to no peer. */
export const peerColumns = { base: 0, low: 1, high: 2, region: 3 } as const;

/** Columns are stored one after the other. */
export const PEER_COLUMN_DOUBLES: number = MOST_PEERS + 1;
export const PEER_TABLE_DOUBLES: number = 4 * PEER_COLUMN_DOUBLES;
