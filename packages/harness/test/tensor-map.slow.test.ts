import './tensor-map.test.ts';
