import './random-spins.test.ts';
