document.querySelectorAll('[data-mb="KEY"]:not([data-ready])').forEach(figure=>{
figure.dataset.ready='yes';
const controls=[...figure.querySelectorAll('[data-size]')];
const frames=[...figure.querySelector('.mb-frames').children];
const order=JSON.parse(figure.dataset.frames);
const value=c=>c.type==='range'?+c.value:c.type==='checkbox'?+c.checked:+c.querySelector(':checked').value;
const show=()=>{let k=0;for(const c of controls){k=k*c.dataset.size+value(c);
if(c.type==='range'){const name=JSON.parse(c.dataset.names)[value(c)];
c.setAttribute('aria-valuetext',name);c.closest('.mb-slider').querySelector('output').value=name}}
frames.forEach((frame,i)=>frame.hidden=i!==order[k])};
figure.addEventListener('input',show);
figure.addEventListener('click',e=>{const by=e.target.dataset&&e.target.dataset.by;if(by){
const c=e.target.closest('.mb-slider').querySelector('input');c.value=+c.value+ +by;show()}});
show()});
