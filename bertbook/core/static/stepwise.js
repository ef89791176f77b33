document.querySelectorAll('[data-mb="KEY"]:not([data-ready])').forEach(figure=>{
figure.dataset.ready='yes';
const stages=[...figure.querySelectorAll('.mb-stage')],turns=figure.querySelector('.mb-turns');
const [back,next,all]=turns.querySelectorAll('button');
const drawn=name=>[...figure.querySelectorAll(`[data-${name}]`)].map(e=>[e,+e.dataset[name]]);
const shown=drawn('shown'),here=drawn('here'),open=drawn('open');
let now=0,known=0;
const see=(element,seen)=>{element.style.display=seen?'':'none'};
const show=()=>{
stages.forEach((stage,i)=>{stage.hidden=i!==now});
shown.forEach(([e,i])=>see(e,i<known));
open.forEach(([e,i])=>see(e,i>=known));
here.forEach(([e,i])=>see(e,i===now));
back.hidden=now===0;next.hidden=now>=known||now+1===stages.length;all.hidden=known===stages.length;
turns.querySelector('span').textContent=`${now+1} of ${stages.length}`};
const go=by=>{now+=by;show();
(stages[now].querySelector(':checked')||stages[now].querySelector('input')).focus()};
figure.addEventListener('change',e=>{
if(e.target.closest('.mb-option').querySelector('.mb-right')){known=Math.max(known,now+1);show()}});
back.addEventListener('click',()=>go(-1));
next.addEventListener('click',()=>go(1));
all.addEventListener('click',()=>{known=stages.length;go(0)});
turns.hidden=false;show()});
