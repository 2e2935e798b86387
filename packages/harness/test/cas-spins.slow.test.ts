import './cas-spins.test.ts';
