import './spins-that-stay.test.ts';
