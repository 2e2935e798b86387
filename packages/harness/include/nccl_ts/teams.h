// Teams of ranks.
#ifndef NCCL_TS_TEAMS_H
#define NCCL_TS_TEAMS_H

struct ncclTeamTagWorld {};
struct ncclTeamTagLsa {};
struct ncclTeamTagRail {};

NCCL_TS_INLINE ncclTeam ncclTeamWorld(ncclDevComm const &comm) { return {comm.nRanks, comm.rank, 1}; }
NCCL_TS_INLINE ncclTeam ncclTeamLsa(ncclDevComm const &comm) { return {comm.lsaSize, comm.lsaRank, 1}; }
NCCL_TS_INLINE ncclTeam ncclTeamRail(ncclDevComm const &comm) {
  return {comm.nRanks / comm.lsaSize, comm.rank / comm.lsaSize, comm.lsaSize};
}
NCCL_TS_INLINE int ncclTeamRankToWorld(ncclDevComm const &comm, ncclTeam team, int rank) {
  return comm.rank + (rank - team.rank) * team.stride;
}
NCCL_TS_INLINE int ncclTeamRankToLsa(ncclDevComm const &comm, ncclTeam team, int rank) {
  return comm.lsaRank + (rank - team.rank) * team.stride;
}
__host__ __device__ __forceinline__ bool ncclTeamRankIsMember(ncclTeam a, ncclTeam b, int bPeer) {
  int distance = (bPeer - b.rank) * b.stride;
  int steps = distance / a.stride;
  return distance % a.stride == 0 && a.rank + steps >= 0 && a.rank + steps < a.nRanks;
}
__host__ __device__ __forceinline__ int ncclTeamRankToTeam(ncclTeam a, ncclTeam b, int bPeer) {
  return a.rank + (bPeer - b.rank) * b.stride / a.stride;
}
__host__ __device__ __forceinline__ ncclTeam ncclTeamInnerFactor(ncclTeam parent, int size) {
  return {size, parent.rank % size, parent.stride};
}
__host__ __device__ __forceinline__ ncclTeam ncclTeamOuterFactor(ncclTeam parent, int size) {
  return {parent.nRanks / size, parent.rank / size, parent.stride * size};
}
// The element of `parent` without `subset`, whose own elements are in `parent`, at `index`. Both are numbers in `parent`.
__host__ __device__ __forceinline__ int ncclTeamRankInDifference(ncclTeam parent, ncclTeam subset, int index) {
  int step = subset.stride / parent.stride;
  int first = parent.rank - subset.rank * step;
  if (index < first) return index;
  index -= first;
  int between = (subset.nRanks - 1) * (step - 1);
  if (index >= between) return first + 1 + (subset.nRanks - 1) * step + (index - between);
  return first + 1 + index + index / (step - 1);
}

#endif
