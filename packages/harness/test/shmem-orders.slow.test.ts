import './shmem-orders.test.ts';
