import './spins-to-waits.test.ts';
