/** Peers of a window that a table in the frame has room for. */
export const MOST_PEERS = 127;

/** Three columns, one behind the other: addresses, and where regions begin and end. The first row is of no peer: zeros. */
export const PEER_TABLE_DOUBLES: number = 3 * (MOST_PEERS + 1);
