import './transfers.test.ts';
