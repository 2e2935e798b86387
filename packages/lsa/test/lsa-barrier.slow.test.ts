import './lsa-barrier.test.ts';
