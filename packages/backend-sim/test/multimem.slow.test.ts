import './multimem.test.ts';
