import './emit-fabric.test.ts';
