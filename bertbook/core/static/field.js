document.querySelectorAll('[data-mb="KEY"]:not([data-ready])').forEach(field=>{
field.dataset.ready='yes';
const {answer,labels,mistakes,tolerance,why}=JSON.parse(field.dataset.answer);
const boxes=[...field.querySelectorAll('input')],fold=field.querySelector('details');
const reply=field.querySelector('[role=status]'),isWord=typeof answer==='string';
field.querySelector('.mb-try').hidden=false;fold.hidden=true;
const say=(word,text,right)=>{reply.classList.toggle('mb-right',!!right);
const strong=document.createElement('strong');strong.textContent=word;
reply.replaceChildren(strong,' '+text)};
NUMBERSconst read=(text,target)=>readings(text,target).reduce((best,x)=>
Math.abs(x-target)<Math.abs(best-target)?x:best,Infinity);
const fits=(text,target)=>
Math.abs(read(text,target)-target)<=tolerance+1e-9*Math.max(1,Math.abs(target));
const tidy=text=>{const words=text.toLowerCase().replace(/[[\](){}'"`“”‘’]/g,'')
.replace(/[\s,;]+/g,' ').trim();return words.replace(/(.)[.!]$/,'$1')||text.trim()};
const isLike=(texts,value)=>isWord?tidy(texts[0])===tidy(value):
[value].flat().every((entry,i)=>fits(texts[i],entry));
const spread=()=>{const [first,...others]=boxes;
if(!others.length||others.some(box=>box.value.trim()))return;
const bare=first.value.trim().replace(/^[[({]|[\])}]$/g,'').trim();
for(const cut of [/\s*;\s*|,?\s+/,/\s*,\s*/]){const parts=bare.split(cut);
if(parts.length===boxes.length&&parts.every(Boolean))
return boxes.forEach((box,i)=>box.value=parts[i])}};
const side=(x,target)=>x>target?'too large':'too small';
const isClose=(text,target)=>{const x=read(text,target),digits=x.toExponential().replace(/e.*|\D/g,'');
return Math.abs(x-target)<=Math.max(4*tolerance,.05*Math.abs(target))||
!Number.isInteger(target)&&Math.abs(target.toPrecision(digits.length)-x)<=1e-9*Math.abs(x)};
const keep=target=>Number.isInteger(target)?'':' Keep more digits.';
const onNumber=(text,target)=>{const x=read(text,target);
if(target&&fits(text,-target))return 'The size is right. Look at the sign.';
if(target&&Math.abs(x/100-target)<=tolerance)
return `${text} is a hundred times the answer. Is it in percent?`;
if(isClose(text,target))return `${text} is close, but a little ${side(x,target)}.${keep(target)}`;
return `${text} is ${side(x,target)}.`};
const onVector=(texts,wrong)=>{
const sorted=values=>[...values].sort((a,b)=>a-b);
const mine=sorted(texts.map((t,i)=>read(t,answer[i])));
if(sorted(answer).every((x,i)=>Math.abs(x-mine[i])<=tolerance))
return 'These are the right numbers in another order.';
const isNear=i=>!Number.isInteger(answer[i])&&isClose(texts[i],answer[i]);
const near=wrong.filter(isNear),far=wrong.filter(i=>!isNear(i)),right=texts.length-wrong.length;
const named=list=>{const names=list.map(i=>labels?`“${labels[i]}”`:i+1),last=names.pop();
return (labels?'':names.length?'entries ':'entry ')+(names.length?`${names.join(', ')} and `:'')+last};
return [right||far.length?`${right} of ${texts.length} entries are right.`:'',
near.length?`Close: keep more digits in ${named(near)}.`:'',
far.length?`Look again at ${named(far)}.`:''].join(' ').trim()};
const judge=()=>{spread();
const texts=boxes.map(box=>box.value.trim()),targets=[answer].flat();
boxes.forEach(box=>box.removeAttribute('aria-invalid'));
const mark=i=>boxes[i].setAttribute('aria-invalid','true');
if(texts.some(Boolean))fold.hidden=false;
const empty=texts.indexOf('');
if(empty>=0){boxes[empty].focus();
const count=texts.filter(text=>!text).length;
return say('Not yet.',boxes.length>1?`${count} of ${boxes.length} boxes are empty.`:
'Type an answer first. A guess will do.')}
const strange=isWord?-1:texts.findIndex(text=>!readings(text,0).length);
if(strange>=0){mark(strange);boxes[strange].focus();
return say('Not a number:',`“${texts[strange]}”. Write, for example, −0.25, 1/4, 25 %, ln 2 or 12*256^2.`)}
if(isLike(texts,answer))return say('Right.',why,true);
const known=mistakes.find(([value])=>isLike(texts,value));
const wrong=isWord?[0]:targets.map((_,i)=>i).filter(i=>!fits(texts[i],targets[i]));
wrong.forEach(mark);
say('Not yet.',known?known[1]:isWord?`“${texts[0]}” is not it. Look once more, or try another.`:
texts.length>1?onVector(texts,wrong):onNumber(texts[0],targets[0]))};
field.querySelector('button').addEventListener('click',judge);
field.addEventListener('keydown',e=>{
if(e.key==='Enter'&&e.target.matches('input')){e.preventDefault();judge()}})});
